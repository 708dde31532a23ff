"""Runs that go on from an earlier fit: where its chains stand, with what it learned."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
from nuts.adaptation.learned import Learned
from nuts.errors import SamplingError
from nuts.run.beginning import begin
from nuts.run.options import RunOptions, WarmupOptions
from nuts.run.space import Space
from tests.nuts.test_interrupts import interrupt
from tests.nuts.test_target import waiting_times
from tests.support.tolerances import Tolerance, assert_close

CHAINS, WARMUP, DRAWS, MORE = 6, 20, 12, 18
JOINT = Tolerance(1e-9, 1e-9)
"""The gradient where a run goes on is computed by another kernel: some units in float64, which grow
along the trajectories of a few draws."""


def target(x: Any) -> tf.Tensor:
    return -0.5 * (x["a"] ** 2 + tf.reduce_sum(x["b"] ** 2 / tf.constant([1.0, 9.0], tf.float64)))


INIT = {"a": tf.TensorSpec([], tf.float64), "b": tf.TensorSpec([2], tf.float64)}


def sample(init: Any = INIT, **options: Any) -> Any:
    first = {"num_chains": CHAINS, "num_warmup": WARMUP} if init is INIT else {}
    how = {"seed": 3, "progress": False, "num_draws": DRAWS, "max_tree_depth": 4}
    return nuts.sample(target, init, **{**how, **first, **options})


@functools.cache
def first() -> nuts.Fit:
    return sample()


@functools.cache
def whole() -> nuts.Fit:
    return sample(num_draws=DRAWS + MORE)


def assert_alike(one: nuts.Fit, other: nuts.Fit) -> None:
    """Up to the rounding where one of them went on."""
    tf.nest.map_structure(lambda x, y: assert_close(x, y, JOINT), one.draws, other.draws)
    for name, x, y in zip(one.stats._fields, one.stats, other.stats, strict=True):
        assert_close(x, y, JOINT, name)
    assert one.repeats[:2] == other.repeats[:2]


@pytest.mark.thorough
def test_it_makes_the_draws_of_one_longer_call() -> None:
    more = sample(first(), num_draws=MORE)
    assert (more.num_chains, more.num_draws) == (CHAINS, MORE)
    assert first().end[1:] == (WARMUP, WARMUP + DRAWS)
    assert more.end[1:] == (WARMUP + DRAWS, WARMUP + DRAWS + MORE)
    assert more.learned.step_size == first().learned.step_size
    np.testing.assert_array_equal(more.learned.inverse_mass, first().learned.inverse_mass)
    both = first().extended(more)
    assert_alike(both, whole())
    assert both.end[1:] == whole().end[1:]
    assert both.timing.sampling == first().timing.sampling + more.timing.sampling
    active = [sum(block.active for block in fit.blocks) for fit in (first(), more, both)]
    assert active[0] + active[1] == active[2] > 0
    assert str(both.summary()).splitlines()[0] == str(whole().summary()).splitlines()[0]


@pytest.mark.thorough
def test_it_goes_on_where_a_row_of_thinned_draws_ends() -> None:
    fit = sample(num_draws=4, thin=3)
    more = sample(fit, num_draws=6, thin=3)
    together = sample(num_draws=10, thin=3)
    both = fit.extended(more)
    assert_alike(both, together)
    changes = 11 * fit.repeats.energy_change + 17 * more.repeats.energy_change
    assert both.repeats.energy_change == pytest.approx(changes / 28)


def test_a_fit_from_a_file_or_a_pickle_goes_on(tmp_path: pathlib.Path) -> None:
    first().save(tmp_path / "fit.npz")
    for fit in (nuts.load(tmp_path / "fit.npz"), pickle.loads(pickle.dumps(first()))):
        assert_alike(fit.extended(sample(fit, num_draws=MORE)), whole())


@pytest.mark.thorough
def test_it_goes_on_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        interrupt(patch, True, 9, "pc")
        with pytest.raises(nuts.Interrupted) as caught:
            sample(num_draws=DRAWS + MORE)
    fit = caught.value.result
    left = DRAWS + MORE - fit.num_draws
    assert 0 < left < DRAWS + MORE
    assert_alike(fit.extended(sample(fit, num_draws=left)), whole())


@pytest.mark.thorough
def test_it_goes_on_from_a_run_without_draws() -> None:
    fit = sample(num_draws=0)
    tf.nest.map_structure(lambda x, y: assert_close(x, y, JOINT), sample(fit).draws, first().draws)
    mean = [nuts.reducers.Mean()]
    streamed = sample(reducers=mean)
    tf.nest.map_structure(np.testing.assert_array_equal, streamed.end, first().end)
    again = sample(streamed, reducers=mean, num_draws=MORE)
    late = whole().draws["b"][:, DRAWS:]
    assert_close(again.reduced["mean"]["b"], late.mean((0, 1)), Tolerance(1e-7, 1e-7))


def test_a_short_warmup_begins_with_what_was_learned() -> None:
    fit = sample(first(), num_warmup=10)
    assert fit.end.first_draw == first().end.next_draw + 10
    np.testing.assert_array_equal(fit.learned.inverse_mass, first().learned.inverse_mass)
    assert 0.5 < fit.learned.step_size / first().learned.step_size < 2
    assert fit.learned.step_size != first().learned.step_size
    assert sample(first(), step_size=0.25).learned.step_size == 0.25


@pytest.mark.thorough
def test_chains_of_a_joint_distribution_go_on() -> None:
    """They stand in the unconstrained space; the draws are rates."""
    pinned = waiting_times.experimental_pin(times=tf.constant([0.5, 1.0, 0.2, 0.7, 2.0]))
    how = {"num_chains": 3, "num_warmup": 0, "step_size": 0.5, "progress": False}
    together = nuts.sample(pinned, num_draws=4, strategy="loop", **how)
    fit = nuts.sample(pinned, num_draws=2, strategy="loop", **how)
    assert (fit.end.positions.rate != fit.draws.rate[:, -1]).all()
    more = nuts.sample(pinned, fit, num_draws=2, strategy="loop", progress=False)
    both = fit.extended(pickle.loads(pickle.dumps(more)))
    assert_close(both.draws.rate, together.draws.rate, Tolerance(1e-3, 1e-3))  # of float32


@pytest.mark.thorough
def test_chains_with_step_sizes_of_their_own_go_on() -> None:
    how = {"pool": "none", "strategy": "loop", "progress": False}
    first_options = {"num_chains": 3, "num_warmup": 0, "step_size": 0.5, **how}
    together = nuts.sample(target, INIT, num_draws=4, **first_options)
    fit = nuts.sample(target, INIT, num_draws=2, **first_options)
    steps = np.array([0.25, 0.5, 0.75])
    own = dataclasses.replace(fit, learned=fit.learned._replace(step_size=steps))
    more = nuts.sample(target, own, num_draws=2, **how)
    np.testing.assert_array_equal(more.learned.step_size, steps)
    joined = fit.extended(more).draws["b"]
    assert_close(joined[1], together.draws["b"][1], JOINT)
    assert (joined[[0, 2], 2:] != together.draws["b"][[0, 2], 2:]).all()
    with pytest.raises(SamplingError, match='give pool="none", as in the call that made the fit'):
        nuts.sample(target, own, num_draws=2, progress=False)


@pytest.mark.thorough
def test_a_changed_target_is_evaluated_anew() -> None:
    """A constant in the log density changes no draw, if that of the earlier target is forgotten."""
    how = {"num_draws": 2, "strategy": "loop", "progress": False}
    fit = nuts.sample(target, INIT, num_chains=2, num_warmup=0, step_size=0.5, **how)
    same = nuts.sample(target, fit, **how)
    raised = nuts.sample(lambda x: target(x) + 1000.0, fit, **how)
    tf.nest.map_structure(lambda x, y: assert_close(x, y, JOINT), raised.draws, same.draws)
    assert_close(raised.stats.lp, same.stats.lp + 1000.0, JOINT)


def test_superchains_stay_together() -> None:
    fit = sample(num_superchains=3)
    more = sample(fit)
    assert more.num_superchains == fit.extended(more).num_superchains == 3


def beginning(earlier: Learned | None = None, **options: Any) -> Learned:
    """What warmup, or a run without, begins with; positions have two numbers."""
    how = {"num_warmup": 0, "step_size": None, "target_accept": 0.8, "metric": None, "pool": "all"}
    warmup = WarmupOptions(**{**how, **options})
    run = RunOptions(3, None, 0, 5, 1e3, "pc", "auto", None, 60.0, False)
    return begin(warmup, run, earlier, Space(tf.TensorSpec([2], tf.float32))).learned


COVARIANCE = np.array([[2.0, 0.5], [0.5, 1.0]])
DIAGONAL = Learned(np.float64(0.3), np.array([2.0, 1.0]))
DENSE = Learned(np.float64(0.3), COVARIANCE)
OF_EACH = Learned(np.array([0.1, 0.2, 0.3]), np.array([[2.0, 1.0]] * 3))
FORMS = {
    "taken over": ({"earlier": DIAGONAL}, [2.0, 1.0]),
    "taken over, dense": ({"earlier": DENSE}, COVARIANCE),
    "its diagonal": ({"earlier": DENSE, "metric": "diag"}, [2.0, 1.0]),
    "as a matrix": ({"earlier": DIAGONAL, "metric": "dense"}, np.diag([2.0, 1.0])),
    "unit": ({"earlier": DENSE, "metric": "unit"}, [1.0, 1.0]),
    "given": ({"metric": [3, 4], "step_size": 0.3}, [3.0, 4.0]),
    "given, dense": ({"metric": COVARIANCE, "step_size": np.float32(0.3)}, COVARIANCE),
    "given beside a fit": ({"earlier": DENSE, "metric": [3.0, 4.0]}, [3.0, 4.0]),
    "given as learned": ({"metric": DENSE[1], "step_size": np.asarray(DENSE[0])}, COVARIANCE),
    "of each chain": ({"earlier": OF_EACH, "pool": "none"}, [[2.0, 1.0]] * 3),
    "for each chain": ({"earlier": DENSE, "pool": "none"}, [COVARIANCE] * 3),
    "given for each chain": (
        {"metric": [3.0, 4.0], "step_size": 1, "pool": "none"},
        [[3.0, 4.0]] * 3,
    ),
    "nothing": ({"step_size": 0.3}, [1.0, 1.0]),
}


@pytest.mark.parametrize("case", FORMS)
def test_what_a_run_begins_with(case: str) -> None:
    options, metric = FORMS[case]
    found = beginning(**options)
    np.testing.assert_array_equal(found.inverse_mass, metric)
    if "earlier" in options:
        steps = np.broadcast_to(options["earlier"].step_size, found.step_size.shape)
        np.testing.assert_array_equal(found.step_size, steps)


WRONG = {
    "length": ({"metric": [1.0, 2.0, 3.0]}, r"shape \[3\], but a position has 2 numbers"),
    "a scalar": ({"metric": 1.0}, r"shape \[\], but"),
    "zero": ({"metric": [1.0, 0.0]}, "positive numbers, but number 1 of it is 0.0$"),
    "too small": ({"metric": [1e-60, 1.0]}, "number 0 of it is 1e-60, which is 0 or infinite in f"),
    "not a number": ({"metric": [np.nan, 1.0]}, "number 0 of it is nan$"),
    "indefinite": ({"metric": [[1.0, 2.0], [2.0, 1.0]]}, "its smallest eigenvalue is -1"),
    "no symmetry": ({"metric": [[1.0, 0.2], [0.1, 1.0]]}, r"\[0, 1\] of it is 0.2 and \[1, 0\]"),
    "an infinity": ({"metric": [[1.0, 0.0], [0.0, np.inf]]}, "infinities or NaN"),
    "a word": ({"metric": "round"}, "must be one of .* not 'round'"),
    "words": ({"metric": ["a", "b"]}, "or an array of variances"),
    "ragged": ({"metric": [[1.0], [1.0, 2.0]]}, "or an array of variances"),
    "no step size": ({"metric": [1.0, 2.0]}, "give step_size"),
    "chains of their own": ({"earlier": OF_EACH}, 'give pool="none"'),
    "a step size for each": ({"step_size": OF_EACH.step_size}, "step_size must be a positive num"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_run_cannot_begin_with(case: str) -> None:
    options, message = WRONG[case]
    given = {} if case in ("no step size", "a step size for each") else {"step_size": 1.0}
    with pytest.raises(SamplingError, match=message):
        beginning(**{**given, **options} if "earlier" not in options else options)


@pytest.mark.thorough
def test_a_metric_that_is_given_scales_the_positions() -> None:
    """Along numbers with the variances of the metric chains move alike, as with those of one."""
    scales = np.array([1.0, 1e-4])

    def scaled(x: tf.Tensor) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(tf.square(x / scales))

    def draws(scale: Any, function: Any, metric: Any) -> np.ndarray:
        starts = tf.constant(np.random.RandomState(0).standard_normal((2, 2)) * scale)
        how = {"num_chains": 2, "num_draws": 3, "num_warmup": 0, "step_size": 0.7}
        return nuts.sample(
            function, starts, metric=metric, strategy="loop", progress=False, **how
        ).draws

    plain = draws(1.0, lambda x: -0.5 * tf.reduce_sum(x * x), None)
    assert_close(draws(scales, scaled, scales**2) / scales, plain, JOINT)
    assert_close(draws(scales, scaled, np.diag(scales**2)) / scales, plain, JOINT)


def test_another_number_of_chains_is_refused() -> None:
    with pytest.raises(SamplingError, match="a fit of 6 chains and num_chains is 4") as caught:
        sample(first(), num_chains=4)
    assert "leave num_chains out" in str(caught.value)
    some = tf.nest.map_structure(lambda x: x[:4, -1], first().draws)  # as the message says
    learned = first().learned
    how = {"metric": learned.inverse_mass, "step_size": learned.step_size, "num_warmup": 0}
    fit = sample(some, num_chains=4, strategy="loop", num_draws=2, **how)
    np.testing.assert_array_equal(fit.learned.inverse_mass, learned.inverse_mass)


def test_a_fit_of_another_target_is_refused() -> None:
    pinned = waiting_times.experimental_pin(times=tf.ones(5))
    with pytest.raises(SamplingError, match="but the distribution, in unconstrained space"):
        nuts.sample(pinned, first(), progress=False)


def test_a_fit_that_does_not_know_its_chains_is_refused() -> None:
    with pytest.raises(SamplingError, match="does not know where its chains stand"):
        sample(dataclasses.replace(first(), end=None))


def test_what_did_not_go_on_is_not_appended() -> None:
    fit = first()
    with pytest.raises(SamplingError, match=r"given <nuts\.StreamedFit"):
        fit.extended(sample(fit, reducers=[nuts.reducers.Mean()]))
    for other in (fit, whole(), dataclasses.replace(fit, end=None)):
        with pytest.raises(SamplingError, match="did not go on from the first"):
            fit.extended(other)
    more = sample(fit)
    for change in ({"thin": 2}, {"max_tree_depth": 7}, {"num_superchains": 2}):
        with pytest.raises(SamplingError, match=f"{next(iter(change))}=.* cannot be extended"):
            fit.extended(dataclasses.replace(more, **change))
    with pytest.raises(SamplingError, match="must be of one target"):
        fit.extended(dataclasses.replace(more, draws=more.draws["a"]))
