"""The run log of a call of `nuts.sample`: runs are made once, and taken from it afterwards."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import tensorflow as tf

from nuts.adaptation.ensemble import Done, Use
from nuts.errors import SamplingError
from nuts.run.run_log import RunLog
from nuts.sampler.chain import Record
from nuts.sampler.trajectory import Point

DONE = Done(
    Point(*(np.arange(6.0).reshape(3, 2) + k for k, _ in enumerate(Point._fields))),
    Record(*(np.ones((3, 4)) * k for k, _ in enumerate(Record._fields))),
    (Use("draw", 3, 40, 500, 6), Use("leaf", 7, 4, 5, 6)),
)


class Runs:
    """Counts the runs that are made, and the options that they get."""

    def __init__(self) -> None:
        self.options: list[dict] = []

    def __call__(self, options: dict) -> Done:
        self.options.append(options)
        return DONE


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A log of two runs, a short one and a long one."""
    log, runs = RunLog(tmp_path / "run", 60.0, False), Runs()
    log.run((DONE.point, tf.constant(1)), 5, runs)
    log.run((DONE.point, tf.constant(2)), 50, runs)
    assert runs.options[0] == {}
    assert runs.options[1]["resume"] is True
    assert runs.options[1]["every"] == 60.0
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["run-0000.npz", "run-0001.npz"]
    return tmp_path / "run"


def test_runs_are_taken_from_the_log(folder: pathlib.Path) -> None:
    log, runs = RunLog(folder, 60.0, True), Runs()
    for number, draws in ((1, 5), (2, 50)):
        found = log.run((DONE.point, tf.constant(number)), draws, runs)
        assert found.blocks == DONE.blocks
        for a, b in zip((*found.point, *found.record), (*DONE.point, *DONE.record), strict=True):
            np.testing.assert_array_equal(a, b)
    assert not runs.options
    log.run((DONE.point, tf.constant(3)), 5, runs)
    assert len(runs.options) == 1


def test_a_log_is_not_overwritten(folder: pathlib.Path) -> None:
    with pytest.raises(SamplingError, match="resume=True"):
        RunLog(folder, 60.0, False)


def test_a_log_of_another_call_is_refused(folder: pathlib.Path) -> None:
    log = RunLog(folder, 60.0, True)
    with pytest.raises(SamplingError, match="another call"):
        log.run((DONE.point, tf.constant(4)), 5, Runs())


def test_a_damaged_run_is_refused(folder: pathlib.Path) -> None:
    path = folder / "run-0000.npz"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(SamplingError, match="damaged"):
        RunLog(folder, 60.0, True).run((DONE.point, tf.constant(1)), 5, Runs())
