"""Eight schools: the same draws in parts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.examples.loading import load
from tests.runtime.executors import Here

example = load("cluster_slurm")


@pytest.mark.thorough
def test_the_draws_are_those_of_one_process() -> None:
    executor, how = Here(), {"chains": 6, "draws": 10, "warmup": 20}
    there, here = example.sample(**how, executor=executor, parts=2), example.sample(**how)
    assert executor.calls > 10
    for name, draws in here.draws.items():
        np.testing.assert_array_equal(there.draws[name], draws)
