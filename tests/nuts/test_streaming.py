"""Reducers against the same statistics of stored draws, and the memory that they take."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import arviz
import numpy as np
import pytest
import tensorflow as tf

import nuts
from bench import apart
from bench.streaming import measure
from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.adaptation.learned import Learned
from nuts.adaptation.windows import schedule
from nuts.reducers import Covariance, Mean, Quantiles, Reducer, RHat
from nuts.results.mixing import energy_fraction, nested_r_hat
from nuts.results.streamed_fit import StreamedFit, named_numbers
from nuts.results.warnings import nested_r_hat_limit
from nuts.run import streaming
from nuts.run.initialization import keys_of_superchains, random_start
from nuts.run.streaming import Reduction
from nuts.run.target import Space, from_function
from nuts.sampler.chain import Record
from tests.support.extent import LARGE
from tests.support.tolerances import Tolerance, assert_close

ROUNDING = Tolerance(1e-10)
CHAINS, DIM = 7, 3


def draws_of(number: int, chains: int = CHAINS) -> np.ndarray:
    """Skewed, correlated numbers of unlike sizes: float64[chains, number, DIM]."""
    z = np.random.RandomState(0).standard_normal((chains, number, DIM))
    return np.stack([np.exp(z[..., 0]), 100 + z[..., 0] + z[..., 1], 1e-3 * z[..., 2]], -1)


def reduce(
    reducer: Reducer, draws: np.ndarray, slices: tuple[int, ...]
) -> tuple[object, np.ndarray]:
    state = reducer.start(draws.shape[0], draws.shape[1], draws.shape[2])
    for part in np.split(draws, np.cumsum(slices)[:-1], axis=1):
        state = reducer.update(state, part)
    return state, reducer.result(state)


EXACT = {
    "mean": (Mean(), lambda x: x.reshape(-1, DIM).mean(0)),
    "covariance": (Covariance(), lambda x: np.cov(x.reshape(-1, DIM).T)),
    "few quantiles": (
        Quantiles((0.0, 0.05, 0.5, 0.95, 1.0)),
        lambda x: np.quantile(x.reshape(-1, DIM), [0.0, 0.05, 0.5, 0.95, 1.0], axis=0),
    ),
    "r_hat": (
        RHat(),
        lambda x: [float(arviz.rhat(x[..., d], method="split")) for d in range(DIM)],
    ),
}


@pytest.mark.parametrize("case", EXACT)
@pytest.mark.parametrize("slices", [(41,), (1, 20, 20), (10, 10, 10, 11), (1,) * 41])
def test_slices_give_the_statistic_of_all_draws(case: str, slices: tuple[int, ...]) -> None:
    reducer, of_all = EXACT[case]
    draws = draws_of(41)
    assert_close(reduce(reducer, draws, slices)[1], of_all(draws), ROUNDING)


@pytest.mark.parametrize("order", ["as they come", "sorted", "falling"])
def test_quantile_sketch_of_many_draws(order: str) -> None:
    """The error in rank is below 2 / size, whatever the order of the draws."""
    draws = draws_of(3000, chains=60)
    if order != "as they come":
        draws = np.sort(draws, axis=1)[:, :: 1 if order == "sorted" else -1]
    probs, size = (0.001, 0.05, 0.5, 0.95, 0.999), 512
    state, quantiles = reduce(Quantiles(probs, size), draws, (100,) * 30)
    flat = draws.reshape(-1, DIM)
    for row, prob in zip(quantiles, probs, strict=True):
        rank = (flat <= row).mean(0)
        assert np.abs(rank - prob).max() < 2 / size
    assert sum(map(len, state.levels)) < 4 * size
    kept = sum(len(level) * 2**k for k, level in enumerate(state.levels))
    assert kept == len(flat)


def size_of(state: object) -> int:
    return sum(np.asarray(leaf).nbytes for leaf in tf.nest.flatten(state))


@pytest.mark.parametrize("reducer", [Mean(), Covariance(), RHat()], ids=lambda r: r.name)
def test_state_does_not_grow(reducer: Reducer) -> None:
    sizes = {size_of(reduce(reducer, draws_of(10 * n), (10,) * n)[0]) for n in (1, 10, 100)}
    assert len(sizes) == 1


def test_state_of_the_sketch_is_bounded() -> None:
    """Levels shrink by a third downwards: three times the largest, and eight rows a level."""
    for n in (10, 100, 1000):
        state, _ = reduce(Quantiles(size=256), draws_of(10 * n), (10,) * n)
        assert size_of(state.levels) < 8 * DIM * (3 * 256 + 10 * 8 + 10 * CHAINS)


TARGET_SCALES = tf.constant([1.0, 3.0], tf.float64)


def normal(x: dict[str, tf.Tensor]) -> tf.Tensor:
    return -0.5 * tf.reduce_sum((x["x"] / TARGET_SCALES) ** 2) - 0.5 * (x["a"] - 4.0) ** 2


HOW = {
    "init": {"a": tf.TensorSpec([], tf.float64), "x": tf.TensorSpec([2], tf.float64)},
    "num_chains": 6,
    "num_draws": 18,
    "num_warmup": 0,
    "step_size": 1.2,
    "max_tree_depth": 1,
    "strategy": "loop",
    "progress": False,
}


@pytest.mark.thorough
def test_a_streamed_run_is_the_statistics_of_the_stored_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streaming, "LONGEST_SLICE", 7)
    lengths = []
    update = Reduction.update
    monkeypatch.setattr(
        Reduction,
        "update",
        lambda self, draws, record: (
            lengths.append(record.lp.shape[1]), update(self, draws, record)
        ),
    )  # fmt: skip
    rooms: list[int] = []
    make = Ensemble.__init__
    monkeypatch.setattr(
        Ensemble,
        "__init__",
        lambda self, settings, length, *rest: (
            rooms.append(length), make(self, settings, length, *rest)
        )[1],
    )  # fmt: skip
    stored = nuts.sample(normal, **HOW, num_superchains=3)
    reducers = [Mean(), Covariance(), Quantiles(), RHat()]
    fit = nuts.sample(normal, **HOW, num_superchains=3, reducers=reducers)
    assert rooms == [32, 16]
    rows = {row.name: row for row in stored.summary()}
    assert rows["a"].nested_r_hat == pytest.approx(nested_r_hat(stored.draws["a"], 3))
    assert "nested" in str(stored.summary()).splitlines()[0]
    assert max(lengths) == 4 and sum(lengths) == 18
    assert list(fit.reduced) == ["mean", "covariance", "quantiles", "r_hat"]
    x = stored.draws["x"].reshape(-1, 2)
    assert_close(fit.reduced["mean"]["x"], x.mean(0), ROUNDING)
    assert_close(fit.reduced["mean"]["a"], stored.draws["a"].mean(), ROUNDING)
    assert_close(fit.reduced["covariance"][1:, 1:], np.cov(x.T), ROUNDING)
    assert fit.reduced["quantiles"]["x"].shape == (3, 2)
    assert fit.totals.num_leapfrogs == stored.stats.num_leapfrogs.mean()
    assert fit.totals.energy_fraction == pytest.approx(energy_fraction(stored.stats.energy))
    assert fit.totals.accept_prob == pytest.approx(stored.stats.accept_prob.mean())
    assert repr(fit).startswith("<nuts.StreamedFit: mean, covariance, quantiles, r_hat of 6 ")
    lines = fit.summary().splitlines()
    assert lines[0].split() == ["mean", "5%", "50%", "95%", "R-hat"] and len(lines) == 4
    assert lines[1].split()[:2] == ["a", f"{stored.draws['a'].mean():.4g}"]
    assert list(named_numbers(fit.reduced["r_hat"])) == ["a", "x[0]", "x[1]"]
    troubled = dataclasses.replace(
        fit,
        reduced={"r_hat": {"a": np.float64(2.0), "x": np.ones(2)}},
        totals=fit.totals._replace(divergences=3, saturated=2, energy_fraction=0.1),
    )
    words = ("3 of 108", "2 of 108", "E-BFMI is 0.10", "for a:")
    for warning, word in zip(troubled.warnings(), words, strict=True):
        assert word in warning


@pytest.mark.parametrize("stuck", [0, 3, CHAINS])
def test_chains_that_never_moved_are_counted(stuck: int) -> None:
    """In slices of one draw, too."""
    draws = draws_of(6)
    draws[:stuck] = draws[:stuck, :1]
    whole, numbers = np.ones((CHAINS, 1), np.int32), np.ones((CHAINS, 1))
    floats, counts = (numbers,) * 2, (whole,) * 2
    record = Record(None, *floats, *counts, *floats, numbers, *counts)
    reduction = Reduction([Mean()], CHAINS, 6, 5)
    for part in np.split(draws, 6, axis=1):
        reduction.update({"x": part}, record)
    assert reduction.totals().stuck == stuck
    learned = Learned(np.ones(()), np.ones(3), np.array([2, 5]))
    troubled = StreamedFit({}, {}, reduction.totals(), CHAINS, 6, learned, 5, None, (), 0)
    moved = f"2 of {CHAINS} chains (the first is chain 2) were stranded"
    assert any(text.startswith(moved) for text in troubled.warnings())
    told = [text for text in troubled.warnings() if "never moved" in text]
    assert len(told) == (stuck > 0) and all(f"{stuck} of {CHAINS}" in text for text in told)


def test_memory_of_a_run_does_not_depend_on_its_length() -> None:
    """Slices of ten draws each: after a hundred slices the statistics take what they took first."""
    random = np.random.RandomState(0)
    sizes = []
    for slices in (1, 10, 100):
        reduction = Reduction([Mean(), Covariance(), RHat()], CHAINS, 10 * slices, 5)
        for _ in range(slices):
            numbers = random.standard_normal((CHAINS, 10))
            whole = np.ones((CHAINS, 10), np.int32)
            record = Record(
                None, numbers, numbers, whole, whole, numbers, numbers, numbers, whole, whole
            )
            reduction.update({"x": numbers}, record)
        sizes.append(reduction.nbytes)
    assert len(set(sizes)) == 1


@pytest.mark.skipif(not LARGE, reason="two long runs: PCBATCH_STRESS=1")
def test_peak_memory_does_not_depend_on_the_number_of_draws() -> None:
    """20,000 chains, a process each: 1,400 more draws would take 812 MB if they were kept.

    Both runs have several slices; a second one takes some memory that a third does not. The peak of
    one and the same run differs by tens of megabytes from process to process.
    """
    run = functools.partial(apart.call, measure, for_memory=True, chains=20_000, streamed=True)
    few, many = (run(draws=draws) for draws in (200, 1600))
    assert many["peak MB"] - few["peak MB"] < 120
    # Four and a half standard errors if a draw in twenty counted.
    assert many["largest error of a mean"] < 4.5 / np.sqrt(20_000 * 1600 / 20)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(("chains", "dim"), [(4, 3), (1000, 31), (100_000, 31), (10**7, 31)])
def test_slices_fit_into_memory(chains: int, dim: int, kept: bool) -> None:
    length = streaming.slice_length(chains, dim, kept)
    assert length >= 1 and (kept or length <= streaming.LONGEST_SLICE)
    most = streaming.KEPT_NUMBERS if kept else streaming.SLICE_NUMBERS
    least = streaming.LEAST_ROOM if kept else 1
    assert length == least or chains * dim * length <= most
    assert length.bit_count() == 1


@pytest.mark.parametrize(("chains", "dim"), [(100, 50), (4000, 50), (10**6, 2)])
def test_a_short_run_of_warmup_makes_little_room(chains: int, dim: int) -> None:
    """16 MiB in float32, however many draws are kept; or the rows that a piece of warmup needs."""
    rows = streaming.room(min(10_000, streaming.slice_length(chains, dim, kept=True)))
    longest = max(piece for window in schedule(10_000, chains) for piece in window.pieces)
    assert longest <= rows and (rows == 16 or 4 * rows * chains * (dim + 7) <= 2**24)


def test_draws_that_are_kept_in_slices_are_those_of_one_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Warmup, whose runs make room for a slice of draws, does not depend on `num_draws` then."""
    rooms = []
    advance = Ensemble.advance

    def noted(self: Ensemble, *args: Any) -> Any:
        rooms.append(self.length)
        return advance(self, *args)

    monkeypatch.setattr(Ensemble, "advance", noted)
    how = {**HOW, "num_chains": 2, "num_draws": 20, "num_warmup": 8, "step_size": 0.5}
    whole = nuts.sample(normal, **how)
    assert set(rooms) == {32}
    monkeypatch.setattr(streaming, "KEPT_NUMBERS", 16 * how["num_chains"] * (3 + 7))
    rooms.clear()
    cut = nuts.sample(normal, **how)
    assert set(rooms) == {16}
    tf.nest.map_structure(np.testing.assert_array_equal, cut.draws, whole.draws)
    tf.nest.map_structure(np.testing.assert_array_equal, cut.stats, whole.stats)


def test_nested_r_hat_by_hand() -> None:
    """Two superchains of two chains with two draws: B = 18, W = 2 + (0.5 + 0.5 + 0.5 + 0.5) / 4."""
    draws = np.array([[0.0, 1.0], [2.0, 3.0], [6.0, 7.0], [8.0, 9.0]])
    assert nested_r_hat(draws, 2) == pytest.approx(np.sqrt(1 + 18 / 2.5))
    assert np.isnan(nested_r_hat(draws, 1))


def test_nested_r_hat_sees_stuck_chains_where_chains_are_short() -> None:
    """Eight superchains of a hundred chains, four draws each: all alike, or one elsewhere."""
    draws = np.random.RandomState(0).standard_normal((800, 4))
    limit = nested_r_hat_limit(800, 8)
    assert nested_r_hat(draws, 8) < limit < 1.02
    draws[:100] += 1.0
    assert nested_r_hat(draws, 8) > limit


def test_superchains_start_together() -> None:
    problem = from_function(normal, Space(HOW["init"]))
    keys = keys_of_superchains(chain_keys(0, 6)[0], 3)
    starts = random_start(problem, keys, tf.float64).position.numpy()
    np.testing.assert_array_equal(starts[::2], starts[1::2])
    assert np.abs(np.diff(starts[::2], axis=0)).min() > 1e-3


REFUSED = {
    "a class": ([Mean], "instance"),
    "a word": ("mean", "list such as"),
    "twice": ([Mean(), Mean()], "one name"),
    "nothing": ([], "list such as"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_reducers(case: str) -> None:
    reducers, message = REFUSED[case]
    with pytest.raises(nuts.SamplingError, match=message):
        nuts.sample(normal, **HOW, reducers=reducers)


def test_refused_groups() -> None:
    with pytest.raises(nuts.SamplingError, match="divide"):
        nuts.sample(normal, **HOW, num_superchains=4)
    with pytest.raises(ValueError, match="probs"):
        Quantiles((1.5,))
