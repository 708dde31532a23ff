"""Ctrl-C in `nuts.sample`: what every chain has drawn is given, a call in warmup says so."""

from __future__ import annotations

import pathlib
import signal
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
import pcbatch
from nuts.adaptation.ensemble import Ensemble
from pcbatch.local_static.run import Run
from pcbatch.vm.machine import Machine
from pcbatch.vm.pace import Pace
from tests.support.tolerances import assert_close

DRAWS = 24
OPTIONS = {
    "num_chains": 5,
    "num_draws": DRAWS,
    "num_warmup": 20,
    "max_tree_depth": 4,
    "seed": 3,
    "progress": False,
}


def target(x: tf.Tensor) -> tf.Tensor:
    return -0.5 * tf.reduce_sum(x * x / tf.constant([1.0, 9.0]))


def sample(**options: Any) -> Any:
    return nuts.sample(target, tf.zeros(2), **{**OPTIONS, **options})


@pytest.fixture(scope="module")
def whole() -> nuts.Fit:
    return sample()


def interrupt(monkeypatch: pytest.MonkeyPatch, draws: bool, calls: int, way: str) -> None:
    """Press Ctrl-C in a call of the machine, of warmup or of the draws that are kept.

    A slice of the machine does little work then, so that a run takes several.
    """
    sampling, left = [not draws], [calls]
    advance, owner, name = Ensemble.advance, *WAYS[way]

    def begin(self: Ensemble, tuning: Any, num_draws: int, thin: int = 1) -> Any:
        sampling[0] = (num_draws > 10) if draws else True
        return advance(self, tuning, num_draws, thin)

    original = getattr(owner, name)

    def press(*args: Any) -> Any:
        if sampling[0]:
            left[0] -= 1
            if left[0] == 0:
                signal.raise_signal(signal.SIGINT)
        return original(*args)

    monkeypatch.setattr(Ensemble, "advance", begin)
    monkeypatch.setattr(owner, name, press)
    monkeypatch.setattr(Pace, "work", lambda self, seconds: 100)


WAYS = {"pc": (Machine, "advance_in_place"), "local": (Run, "_count")}


@pytest.mark.thorough
@pytest.mark.parametrize("thin", [1, 2])
def test_what_has_been_drawn_is_given(monkeypatch, whole: nuts.Fit, thin: int) -> None:
    interrupt(monkeypatch, True, 9, "pc")
    with pytest.raises(nuts.Interrupted, match=r"in \.result of this exception") as caught:
        sample(thin=thin, num_draws=DRAWS // thin)
    assert isinstance(caught.value, pcbatch.Interrupted)
    fit = caught.value.result
    assert 0 < fit.num_draws < DRAWS // thin
    assert f"after {fit.num_draws} of {DRAWS // thin} draws" in str(caught.value)
    np.testing.assert_array_equal(fit.draws, whole.draws[:, thin - 1 :: thin][:, : fit.num_draws])
    gradients = whole.stats.num_leapfrogs.reshape(5, -1, thin).sum(2)[:, : fit.num_draws]
    np.testing.assert_array_equal(fit.stats.num_leapfrogs, gradients)
    assert fit.summary()[0].mean == pytest.approx(fit.draws[..., 0].mean(dtype=np.float64))


@pytest.mark.thorough
def test_what_has_been_reduced_is_given(monkeypatch, whole: nuts.Fit) -> None:
    reducers = [nuts.reducers.Mean(), nuts.reducers.RHat(), nuts.reducers.Quantiles()]
    interrupt(monkeypatch, True, 9, "pc")
    with pytest.raises(nuts.Interrupted, match="the StreamedFit of these") as caught:
        sample(reducers=reducers)
    fit = caught.value.result
    assert 0 < fit.num_draws < DRAWS
    mean = whole.draws[:, : fit.num_draws].mean((0, 1), dtype=np.float64)
    assert_close(fit.reduced["mean"], mean)
    assert np.isnan(fit.reduced["r_hat"]).all()
    assert fit.totals.num_draws == 5 * fit.num_draws
    assert "mean" in fit.summary()


@pytest.mark.thorough
def test_a_local_run_gives_what_it_has(monkeypatch) -> None:
    options = {"strategy": "local", "num_warmup": 0, "step_size": 0.7}
    there = sample(**options, num_draws=12)
    interrupt(monkeypatch, True, 600, "local")
    with pytest.raises(nuts.Interrupted) as caught:
        sample(**options, num_draws=12)
    fit = caught.value.result
    assert 0 < fit.num_draws < 12
    np.testing.assert_array_equal(fit.draws, there.draws[:, : fit.num_draws])


def test_warmup_has_nothing_to_give(monkeypatch, tmp_path: pathlib.Path, whole: nuts.Fit) -> None:
    interrupt(monkeypatch, False, 5, "pc")
    with pytest.raises(nuts.Interrupted, match="stopped in warmup") as caught:
        sample(checkpoint=tmp_path / "run")
    assert caught.value.result is None
    assert "resume=True" in str(caught.value)
    again = sample(checkpoint=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(again.draws, whole.draws)


def test_a_folder_goes_on_after_ctrl_c(monkeypatch, tmp_path: pathlib.Path, whole) -> None:
    interrupt(monkeypatch, True, 9, "pc")
    with pytest.raises(nuts.Interrupted, match="resume=True a call makes the others"):
        sample(checkpoint=tmp_path / "run")
    again = sample(checkpoint=tmp_path / "run", resume=True)
    np.testing.assert_array_equal(again.draws, whole.draws)
