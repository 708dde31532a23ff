"""Log likelihoods against NumPy in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from nuts.likelihoods import FACTORS, bernoulli_logits
from tests.support.tolerances import Tolerance, assert_close


def observed(size: int, scale: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    return rng.integers(0, 2, size), scale * rng.standard_normal(size)


def exact(outcomes: np.ndarray, logits: np.ndarray) -> float:
    return float(np.sum(outcomes * logits - np.logaddexp(0.0, logits)))


@pytest.mark.parametrize("size", [0, 1, FACTORS - 1, FACTORS, FACTORS + 1, 1000])
def test_value_and_derivatives(size: int) -> None:
    outcomes, numbers = observed(size)
    logits = tf.constant(numbers)
    with tf.GradientTape() as outer:
        outer.watch(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            value = bernoulli_logits(outcomes, logits)
        gradient = tape.gradient(value, logits)
    curvature = outer.gradient(gradient, logits)
    chance = 1.0 / (1.0 + np.exp(-numbers))
    assert_close(value, exact(outcomes, numbers), Tolerance(1e-12))
    assert_close(gradient, outcomes - chance, Tolerance(1e-12, 1e-14))
    assert_close(curvature, -chance * (1.0 - chance), Tolerance(1e-12, 1e-14))


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("scale", [0.1, 3.0, 50.0])
def test_single_precision_is_as_good_as_a_logarithm_for_each(scale: float, jit: bool) -> None:
    outcomes, logits = observed(10_000, scale)
    logits = logits.astype(np.float32)
    losses = tf.nn.sigmoid_cross_entropy_with_logits(outcomes.astype(np.float32), logits)
    right = exact(outcomes, logits.astype(np.float64))
    plain = abs(-float(tf.reduce_sum(losses)) - right)
    density = tf.function(bernoulli_logits, jit_compile=True) if jit else bernoulli_logits
    ours = abs(float(density(tf.constant(outcomes), tf.constant(logits))) - right)
    assert ours <= 2.0 * plain + 2e-7 * abs(right)


def test_logits_without_bounds() -> None:
    """Certain outcomes that came cost nothing, and those that did not everything."""
    logits = tf.constant([200.0, -200.0, np.inf, -np.inf])
    assert bernoulli_logits([1, 0, 1, 0], logits) == 0.0
    assert bernoulli_logits([0, 0, 1, 0], logits) == -200.0
    assert bernoulli_logits([1, 0, 0, 0], logits) == -np.inf
    assert np.isnan(bernoulli_logits([1], tf.constant([np.nan])))


def test_derivatives_far_out_are_numbers() -> None:
    """The exponential of a logit that is as large is infinite."""
    logits = tf.constant([200.0, -200.0, 200.0, -200.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            value = bernoulli_logits([1, 0, 0, 1, 1], logits)
        gradient = tape.gradient(value, logits)
    curvature = outer.gradient(gradient, logits)
    chance = 1.0 / (1.0 + np.exp(-3.0))
    assert_close(gradient, [0.0, 0.0, -1.0, 1.0, 1.0 - chance], Tolerance(1e-6))
    assert_close(curvature, [0.0] * 4 + [-chance * (1.0 - chance)], Tolerance(1e-6))


def test_leading_axes() -> None:
    rng = np.random.default_rng(2)
    outcomes, logits = rng.integers(0, 2, 37), rng.standard_normal((2, 3, 37))
    got = bernoulli_logits(outcomes, logits)
    assert_close(got[1, 2], exact(outcomes, logits[1, 2]), Tolerance(1e-12))
    assert got.shape == (2, 3)


def test_a_number_of_outcomes_that_is_not_known() -> None:
    unknown = tf.TensorSpec([None], tf.float64)
    density = tf.function(bernoulli_logits, input_signature=[unknown, unknown])
    outcomes, logits = observed(37)
    assert_close(density(outcomes.astype(float), logits), exact(outcomes, logits), Tolerance(1e-12))


@pytest.mark.parametrize("outcomes", [[[0], [1], [1]], [0, 1], 1])
def test_outcomes_that_are_not_as_many_as_the_logits_are_refused(outcomes) -> None:
    """TensorFlow would broadcast them."""
    for given in (outcomes, tf.constant(outcomes)):
        with pytest.raises(ValueError, match=r"outcomes \[N\] and logits \[\.\.\., N\], not"):
            bernoulli_logits(given, tf.zeros([3]))


def test_outcomes_other_than_0_and_1_are_refused() -> None:
    """Signs are a common way to say the same."""
    for outcomes in ([1, -1, 1], tf.constant([1.0, -1.0, 1.0])):
        with pytest.raises(ValueError, match=r"0 or 1, and one is -1"):
            bernoulli_logits(outcomes, tf.zeros([3]))


OUTCOMES, _ = observed(17)


def slope(w: tf.Tensor, features: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch(w)
        value = bernoulli_logits(OUTCOMES, tf.linalg.matvec(features, w))
    return value, tape.gradient(value, w)


@pcbatch.autobatch(in_axes=(0, None))
def climb(w, features):
    """Steps along the gradient until the likelihood gains little, as many as an example needs."""
    value, gradient = slope(w, features)
    before = value - 1.0
    while value - before > 1e-3:
        w = w + 0.1 * gradient
        before = value
        value, gradient = slope(w, features)
    return w, value


def test_batches_and_single_examples_agree() -> None:
    rng = np.random.default_rng(5)
    features, w = (tf.constant(rng.standard_normal((n, 3))) for n in (17, 6))
    got, values = climb.run(w, features).check().value
    for i in range(6):
        alone, value = climb.single(w[i], features)
        assert_close(got[i], alone, Tolerance(1e-9))
        assert_close(values[i], value, Tolerance(1e-9))
