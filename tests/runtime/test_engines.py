"""The trials of engines say what they have tried, and see bits that differ."""

from __future__ import annotations

import contextlib
import subprocess

import pytest

import nuts
from tests.runtime import engines
from tests.runtime.executors import Here

HERE = {"here": lambda: contextlib.nullcontext(Here())}


def test_what_is_not_installed_is_skipped_with_its_reason(monkeypatch, capsys) -> None:
    monkeypatch.setattr(engines, "ENGINES", {"nothing_of_this_name": None})
    engines.main([])
    assert capsys.readouterr().out == (
        "nothing_of_this_name skipped: No module named 'nothing_of_this_name'\n"
    )


def test_what_is_installed_must_work(monkeypatch) -> None:
    monkeypatch.setattr(engines, "command", lambda name: ["false"])
    with pytest.raises(subprocess.CalledProcessError):
        engines.main(["standard library"])


@pytest.mark.thorough
def test_bits_are_compared(monkeypatch) -> None:
    monkeypatch.setattr(engines, "ENGINES", HERE)
    engines.check("here")
    sample, seeds = nuts.sample, iter(range(2))
    monkeypatch.setattr(nuts, "sample", lambda *args, **how: sample(*args, seed=next(seeds), **how))
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        engines.check("here")
