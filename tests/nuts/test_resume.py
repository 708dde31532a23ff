"""A call of `nuts.sample` that is stopped at any point goes on to the same draws."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest
import tensorflow as tf

import nuts
from nuts.adaptation.ensemble import Ensemble
from nuts.errors import SamplingError
from nuts.sampler.chain import run_pool

OPTIONS = {
    "num_chains": 5,
    "num_draws": 24,
    "num_warmup": 40,
    "max_tree_depth": 4,
    "seed": 3,
    "progress": False,
}


def target(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x / tf.constant([1.0, 9.0]))


def sample(**options):
    return nuts.sample(target, tf.zeros(2), **{**OPTIONS, **options})


@pytest.fixture(scope="module")
def whole():
    return sample()


def assert_same(a, b) -> None:
    np.testing.assert_array_equal(a.draws, b.draws)
    for name, left, right in zip(a.stats._fields, a.stats, b.stats, strict=True):
        np.testing.assert_array_equal(left, right, err_msg=name)
    np.testing.assert_array_equal(a.learned.step_size, b.learned.step_size)
    np.testing.assert_array_equal(a.learned.inverse_mass, b.learned.inverse_mass)
    assert a.blocks == b.blocks


class Killed(Exception):
    pass


@pytest.mark.thorough
@pytest.mark.parametrize("runs", [0, 3, 9])
def test_goes_on_where_it_was_stopped(tmp_path: pathlib.Path, whole, monkeypatch, runs) -> None:
    """Stopped between two runs of the compiled program: in warmup and after it."""
    original, left = Ensemble._run, [runs]

    def run(self, *args):
        if left[0] == 0:
            raise Killed
        left[0] -= 1
        return original(self, *args)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Ensemble, "_run", run)
        sample(checkpoint=tmp_path / "run")
    assert len(list((tmp_path / "run").glob("*.npz"))) == runs
    assert_same(sample(checkpoint=tmp_path / "run", resume=True), whole)


def test_goes_on_amid_the_draws(tmp_path: pathlib.Path, whole, monkeypatch) -> None:
    """Stopped while the draws are made: the carry of that run is gone on from."""
    folder = tmp_path / "run"
    original = type(run_pool).run

    def run(self, *args, **options):
        if "checkpoint" in options:
            original(self, *args, **{**options, "throw": False}, max_steps=60)
            raise Killed
        return original(self, *args, **options)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(type(run_pool), "run", run)
        sample(checkpoint=folder)
    assert [p.name for p in folder.glob("*.carry")]
    assert_same(sample(checkpoint=folder, resume=True), whole)
    assert not list(folder.glob("*.carry*"))
    assert_same(sample(checkpoint=folder, resume=True), whole)


def test_what_does_not_fit_is_refused(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "run"
    sample(checkpoint=folder)
    with pytest.raises(SamplingError, match="resume=True"):
        sample(checkpoint=folder)
    with pytest.raises(SamplingError, match="another call"):
        sample(checkpoint=folder, resume=True, seed=4)
    first = folder / "run-0000.npz"
    first.write_bytes(first.read_bytes()[:-200])
    with pytest.raises(SamplingError, match="damaged"):
        sample(checkpoint=folder, resume=True)
    assert os.path.exists(first)
