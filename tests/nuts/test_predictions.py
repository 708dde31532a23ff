"""Predictions, log likelihoods and other quantities of each draw, from made-up draws."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf
import tensorflow_probability as tfp

import nuts
import pcbatch
from nuts.errors import SamplingError
from nuts.results import each_draw as pieces
from nuts.results.joint_models import log_likelihoods
from tests.nuts.test_fit import CHAINS, DRAWS, make_fit
from tests.support.tolerances import STATISTICAL, assert_close, rounding

tfd = tfp.distributions
LOGS = rounding("float32", 2000)
"""A log density is a sum of terms of up to some hundreds, each of a few operations."""

X = np.array([-1.0, 0.0, 0.5, 1.0, 2.0], np.float32)
Y = np.array([0.3, -0.2, 0.1, 1.5, 1.0], np.float32)
COUNTS = np.array([0.0, 2.0, 1.0, 0.0, 3.0], np.float32)
Root = tfd.JointDistributionCoroutine.Root


@tfd.JointDistributionCoroutineAutoBatched
def automatic():
    slope = yield tfd.Normal(0.0, 1.0, name="slope")
    scale = yield tfd.HalfNormal(1.0, name="scale")
    yield tfd.Normal(slope * X, scale, name="y")
    yield tfd.Sample(tfd.Poisson(tf.exp(slope)), 5, name="counts")


@tfd.JointDistributionCoroutine
def one_by_one():
    """Not for batches of draws: `slope * X` means another thing, or nothing, for them."""
    slope = yield Root(tfd.Normal(0.0, 1.0, name="slope"))
    scale = yield Root(tfd.HalfNormal(1.0, name="scale"))
    yield tfd.Independent(tfd.Normal(slope * X, scale), 1, name="y")
    yield tfd.Sample(tfd.Poisson(tf.exp(slope)), 5, name="counts")


def line(slope, scale):
    return tfd.Independent(tfd.Normal(slope * X, scale), 1, name="y")


PRIORS = {"slope": tfd.Normal(0.0, 1.0), "scale": tfd.HalfNormal(1.0)}
MODELS = {
    "automatic": automatic.experimental_pin(y=Y, counts=COUNTS),
    "one by one": one_by_one.experimental_pin(y=Y, counts=COUNTS),
    "named": tfd.JointDistributionNamed({**PRIORS, "y": line}).experimental_pin(y=Y),
    "sequential": tfd.JointDistributionSequential(
        [
            tfd.Normal(0.0, 1.0, name="slope"),
            tfd.HalfNormal(1.0, name="scale"),
            lambda scale, slope: line(slope, scale),
        ]
    ).experimental_pin(y=Y),
}


@functools.cache
def fit_of(model: str) -> nuts.Fit:
    """Draws of a slope around 0.5, and of a scale around 1."""
    pinned, random = MODELS[model], np.random.RandomState(0)
    draws = {
        "slope": 0.5 + 0.2 * random.standard_normal((CHAINS, DRAWS)),
        "scale": np.exp(0.1 * random.standard_normal((CHAINS, DRAWS))),
    }
    draws = {name: x.astype(np.float32) for name, x in draws.items()}
    if not isinstance(pinned.dtype, dict):
        draws = tf.nest.pack_sequence_as(pinned.dtype, [draws["slope"], draws["scale"]])
    return dataclasses.replace(make_fit(), draws=draws)


def of(fit: nuts.Fit) -> tuple[np.ndarray, np.ndarray]:
    draws = fit.draws
    return (draws["slope"], draws["scale"]) if isinstance(draws, dict) else tuple(draws)


@pytest.mark.parametrize("model", MODELS)
def test_predictions_have_the_distribution_of_their_draw(model: str) -> None:
    fit = fit_of(model)
    slope, scale = of(fit)
    found = nuts.predict(fit, MODELS[model])
    assert list(found) == (["counts", "y"] if "counts" in MODELS[model].pins else ["y"])
    assert found["y"].shape == (CHAINS, DRAWS, 5) and found["y"].dtype == np.float32
    noise = (found["y"] - slope[..., None] * X) / scale[..., None]
    assert_standard_normal(noise)
    if "counts" in found:
        rate = np.exp(slope)[..., None]
        counts = found["counts"]
        assert (counts == np.round(counts)).all()
        assert_standard_normal((counts - rate) / np.sqrt(rate), kurtosis=3 + 1 / rate.mean())


def assert_standard_normal(noise: np.ndarray, kurtosis: float = 3.0) -> None:
    """Mean, variance, and independence of neighbours, chain to chain and draw to draw."""
    number = noise.size
    assert abs(noise.mean()) < STATISTICAL / np.sqrt(number)
    assert abs(noise.var() - 1) < STATISTICAL * np.sqrt((kurtosis - 1) / number)
    for axis in range(3):
        other = np.roll(noise, 1, axis)
        assert abs((noise * other).mean()) < STATISTICAL / np.sqrt(number)


def test_the_same_call_gives_the_same_numbers_in_pieces_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fit, model = fit_of("automatic"), MODELS["automatic"]
    whole, likelihood = nuts.predict(fit, model, seed=3), nuts.log_likelihood(fit, model)
    sizes = []
    piece = pieces._piece
    monkeypatch.setattr(pieces, "_piece", lambda *args: sizes.append(piece(*args)) or sizes[-1])
    monkeypatch.setattr(pieces, "PIECE_NUMBERS", 100_000)
    again, in_pieces = nuts.predict(fit, model, seed=3), nuts.log_likelihood(fit, model)
    assert all(1 < size < 2000 and (CHAINS * DRAWS) % size for size in sizes)
    for name, values in whole.items():
        np.testing.assert_array_equal(again[name], values)
        assert_close(in_pieces[name], likelihood[name], LOGS)
    other = nuts.predict(fit, model, seed=4)
    assert (other["y"] != whole["y"]).mean() > 0.99


def test_a_piece_makes_no_more_numbers_than_it_may() -> None:
    wide = tf.ones([1000])

    def sums(draw: Any) -> tf.Tensor:
        return tf.reduce_sum(tf.exp(draw * wide))

    one = pieces._traced(sums, np.zeros((4, 5)), [np.zeros(20, np.float32)])
    assert 2000 <= pieces.PIECE_NUMBERS / pieces._piece(one, 10**9) <= 5000
    assert pieces._piece(one, 100) == 100


def test_new_data_are_predicted_by_a_model_of_them() -> None:
    new = np.array([10.0, 20.0], np.float32)

    @tfd.JointDistributionCoroutineAutoBatched
    def elsewhere():
        slope = yield tfd.Normal(0.0, 1.0, name="slope")
        scale = yield tfd.HalfNormal(1.0, name="scale")
        mean = yield tfd.Deterministic(slope * new, name="mean")
        yield tfd.Normal(mean, scale, name="y")

    fit = fit_of("automatic")
    slope, scale = of(fit)
    found = nuts.predict(fit, elsewhere)
    assert list(found) == ["mean", "y"]
    assert_close(found["mean"], slope[..., None] * new, rounding("float32", 4))
    assert_standard_normal((found["y"] - found["mean"]) / scale[..., None])
    assert list(nuts.predict(fit, elsewhere, ["y"])) == ["y"]


def test_what_is_not_asked_for_stays_pinned() -> None:
    @tfd.JointDistributionCoroutineAutoBatched
    def chain():
        a = yield tfd.Normal(0.0, 1.0, name="a")
        b = yield tfd.Normal(a, 1.0, name="b")
        yield tfd.Normal(b, 1e-3, name="c")

    fit = dataclasses.replace(make_fit(), draws={"a": np.zeros((CHAINS, DRAWS), np.float32)})
    pinned = chain.experimental_pin(b=7.0, c=7.0)
    assert abs(nuts.predict(fit, pinned, ["c"])["c"] - 7.0).max() < 0.01
    both = nuts.predict(fit, pinned)
    assert abs(both["c"] - both["b"]).max() < 0.01 and abs(both["b"].mean()) < 0.1


@pytest.mark.parametrize("model", MODELS)
def test_log_likelihoods_are_of_each_observation(model: str) -> None:
    fit = fit_of(model)
    slope, scale = of(fit)
    found = nuts.log_likelihood(fit, MODELS[model])
    exact = scipy.stats.norm.logpdf(Y, slope[..., None] * X, scale[..., None])
    assert_close(found["y"], exact, LOGS)
    if "counts" in found:
        exact = scipy.stats.poisson.logpmf(COUNTS, np.exp(slope)[..., None])
        assert_close(found["counts"], exact, LOGS)


FACTOR = tf.constant([[1.0, 0.0], [0.5, 2.0]])
PARTS = {
    "a vector": (tfd.MultivariateNormalTriL(tf.zeros(2), FACTOR), []),
    "vectors": (tfd.Sample(tfd.MultivariateNormalTriL(tf.zeros(2), FACTOR), 3), [3]),
    "a batch": (tfd.Normal([0.0, 1.0], 1.0), [2]),
    "a sample of a batch": (tfd.Sample(tfd.Normal([0.0, 1.0], 1.0), [3, 4]), [2, 3, 4]),
    "a sample of vectors": (
        tfd.Sample(tfd.Independent(tfd.Normal([0.0, 5.0], 1.0), 1), 3),
        [3, 2],
    ),
    "independent twice": (
        tfd.Independent(tfd.Independent(tfd.Normal(tf.zeros([3, 2]), 1.0), 1), 1),
        [3, 2],
    ),
    "independent of a sample": (
        tfd.Independent(tfd.Sample(tfd.Normal([0.0, 5.0], 1.0), 3), 1),
        [2, 3],
    ),
    "a mixture": (
        tfd.MixtureSameFamily(
            tfd.Categorical(logits=tf.zeros([4, 2])), tfd.Normal(tf.zeros([4, 2]), 1.0)
        ),
        [4],
    ),
}


@pytest.mark.parametrize("case", PARTS)
def test_elements_are_those_that_the_distribution_takes_apart(case: str) -> None:
    distribution, shape = PARTS[case]
    value = distribution.sample(seed=(0, 1))
    found = log_likelihoods(distribution, value)
    assert found.shape == shape
    assert_close(tf.reduce_sum(found), tf.reduce_sum(distribution.log_prob(value)), LOGS)
    # Another value of one element changes the log likelihood of that one only.
    if shape:
        first = [0] * value.shape.rank
        moved = tf.tensor_scatter_nd_add(value, [first], [1.0])
        changed = log_likelihoods(distribution, moved).numpy() != found.numpy()
        assert changed[(0,) * len(shape)] and changed.sum() == 1


def test_parts_of_a_joint_distribution_within_another_are_named() -> None:
    @tfd.JointDistributionCoroutineAutoBatched
    def inner():
        yield tfd.Normal(tf.zeros(3), 1.0, name="u")
        yield tfd.Normal(0.0, 1.0, name="v")

    outer = tfd.JointDistributionNamed({"a": tfd.Normal(0.0, 1.0), "n": inner})
    draws = {"a": np.zeros((CHAINS, DRAWS), np.float32)}
    fit = dataclasses.replace(make_fit(), draws=draws)
    value = inner.sample(seed=(0, 1))
    pinned = outer.experimental_pin(n=value)
    found = nuts.log_likelihood(fit, pinned)
    assert {name: x.shape[2:] for name, x in found.items()} == {"n.u": (3,), "n.v": ()}
    exact = np.broadcast_to(scipy.stats.norm.logpdf(value.u), (CHAINS, DRAWS, 3))
    assert_close(found["n.u"], exact, LOGS)
    assert nuts.predict(fit, pinned)["n.u"].shape == (CHAINS, DRAWS, 3)


def test_generated_quantities_are_of_each_draw() -> None:
    fit = fit_of("automatic")
    slope, scale = of(fit)

    def quantities(draw: Any) -> dict[str, Any]:
        return {"ratio": draw.slope / draw.scale, "fitted": draw.slope * X, "one": tf.ones([])}

    found = nuts.generated(fit, quantities)
    assert_close(found["ratio"], slope / scale, rounding("float32", 4))
    assert_close(found["fitted"], slope[..., None] * X, rounding("float32", 4))
    np.testing.assert_array_equal(found["one"], np.ones((CHAINS, DRAWS)))


def test_generated_random_numbers_are_of_each_draw() -> None:
    fit = fit_of("automatic")
    slope, scale = of(fit)

    def replicate(draw: Any) -> tf.Tensor:
        return draw.slope * X + draw.scale * tf.random.normal([5])

    noise = (nuts.generated(fit, replicate) - slope[..., None] * X) / scale[..., None]
    assert_standard_normal(noise)


@pcbatch.autobatch
def doublings(draw):
    """How often a slope is doubled until it is above two."""
    x, n = abs(draw), 0
    while x < 2.0:
        x, n = 2.0 * x, n + 1
    return n


def test_a_program_of_each_draw_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PROGRAM_DRAWS", 1500)
    slope = of(fit_of("automatic"))[0]
    found = nuts.generated(dataclasses.replace(make_fit(), draws=slope), doublings)
    expected = np.maximum(np.ceil(np.log2(2.0 / np.abs(slope))), 0)
    np.testing.assert_array_equal(found, expected)


@tfd.JointDistributionCoroutineAutoBatched
def with_a_condition():
    slope = yield tfd.Normal(0.0, 1.0, name="slope")
    scale = yield tfd.HalfNormal(1.0, name="scale")
    mean = slope * X if slope > 0 else X
    yield tfd.Normal(mean, scale, name="y")


NUMBERS = {
    "a condition": (
        lambda: nuts.generated(FIT, lambda draw: 1.0 if draw.slope > 0 else 0.0),
        "1.0 if draw.slope > 0",
    ),
    "NumPy": (lambda: nuts.generated(FIT, lambda draw: np.sin(draw.slope)), "np.sin"),
    "float": (lambda: nuts.generated(FIT, lambda draw: float(draw.slope)), "float"),
    "numpy()": (lambda: nuts.generated(FIT, lambda draw: draw.slope.numpy()), "numpy"),
    "a model": (lambda: nuts.predict(FIT, with_a_condition), "mean = slope"),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_python_on_a_draw_is_refused_at_its_line(case: str) -> None:
    call, code = NUMBERS[case]
    with pytest.raises(SamplingError, match=r"wants a number of a draw(.|\n)*tf.where") as error:
        call()
    first = str(error.value).splitlines()[0]
    assert __file__ in first and code in first.partition("`")[2]


def test_other_errors_of_a_function_of_a_draw_are_its_own() -> None:
    def fails(draw: Any) -> Any:
        raise TypeError("of the user's")

    with pytest.raises(TypeError, match="of the user's"):
        nuts.generated(FIT, fails)


def renamed(fit: nuts.Fit, **names: str) -> nuts.Fit:
    slope, scale = of(fit)
    return dataclasses.replace(fit, draws={names["slope"]: slope, names["scale"]: scale})


FIT = fit_of("automatic")
WRONG = {
    "no joint distribution": (lambda: nuts.predict(FIT, tfd.Normal(0.0, 1.0)), "nuts.generated"),
    "a function": (lambda: nuts.log_likelihood(FIT, lambda x: x), "must be a joint distribution"),
    "other names": (
        lambda: nuts.predict(renamed(FIT, slope="beta", scale="scale"), MODELS["automatic"]),
        "draws of beta, of which the model knows nothing; its variables are slope, scale, y, cou",
    ),
    "no names": (
        lambda: nuts.predict(dataclasses.replace(FIT, draws=of(FIT)[0]), MODELS["automatic"]),
        "no names by which the model knows them",
    ),
    "too few draws": (
        lambda: nuts.predict(
            dataclasses.replace(FIT, draws={"slope": of(FIT)[0]}), MODELS["automatic"]
        ),
        "scale of the model is neither pinned nor drawn",
    ),
    "pinned and drawn": (
        lambda: nuts.log_likelihood(FIT, automatic.experimental_pin(y=Y, slope=1.0)),
        "slope of the model is pinned, and drawn in the fit",
    ),
    "not pinned": (lambda: nuts.log_likelihood(FIT, automatic), "nothing of the model is pinned"),
    "no such variable": (
        lambda: nuts.predict(FIT, MODELS["automatic"], ["slope"]),
        "cannot predict slope: the model can y, counts",
    ),
    "nothing left": (
        lambda: nuts.predict(FIT, tfd.JointDistributionNamed(PRIORS)),
        "nothing to predict",
    ),
    "seed": (lambda: nuts.predict(FIT, MODELS["automatic"], seed=0.5), "seed must be an integer"),
    "the other way round": (lambda: nuts.predict(MODELS["automatic"], FIT), "draws of a nuts.Fit"),
    "no fit": (lambda: nuts.generated(lambda draw: draw, FIT), "needs the draws of a nuts.Fit"),
    "no draws": (
        lambda: nuts.generated(
            dataclasses.replace(FIT, draws=of(FIT)[0][:, :0]), lambda draw: draw
        ),
        "the fit has no draws",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_go_together_is_refused(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(SamplingError, match=message):
        call()
