"""`nuts.sample` in processes of their own: killed and gone on with, and stopped by Ctrl-C."""

from __future__ import annotations

import pathlib
import signal
import time

import numpy as np
import pytest

from tests.nuts import sampled

pytestmark = pytest.mark.thorough
"""In `make test` a call is stopped in this process: test_resume, test_interrupts."""


def test_a_killed_call_goes_on_in_another_process() -> None:
    """Killed (SIGKILL) at a random moment of warmup, then of the draws; `make stress` has more."""
    assert sampled.check(seed=0, kills=2) == 2, "the call ends before it can be killed"


def test_ctrl_c_gives_the_draws_that_were_made(tmp_path: pathlib.Path) -> None:
    """A real signal, amid the draws of a call that keeps nothing on disk."""
    out = tmp_path / "draws.npz"
    process = sampled.start(out, None, 1, cache="")
    assert process.stdout is not None and process.stdout.readline() == "draws\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    draws = np.load(out)["draws"]
    assert 0 < draws.shape[1] < sampled.DRAWS
    np.testing.assert_array_equal(draws, sampled.sample().draws[:, : draws.shape[1]])
