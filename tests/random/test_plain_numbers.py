"""What a draw of one number is in `.single`: a number, with the value that it has in a batch."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import random
from tests.support.tolerances import Tolerance, assert_close

KEYS = random.split(random.key(3), 8)

DRAWS = {
    "uniform": (random.uniform, np.float32),
    "uniform_in_bounds": (lambda key: random.uniform(key, minval=-2, maxval=0.7), np.float32),
    "uniform_float64": (lambda key: random.uniform(key, dtype=tf.float64), float),
    "normal": (random.normal, np.float32),
    "normal_float64": (lambda key: random.normal(key, dtype=tf.float64), float),
    "exponential": (random.exponential, np.float32),
    "exponential_float64": (lambda key: random.exponential(key, dtype=tf.float64), float),
    "bernoulli": (lambda key: random.bernoulli(key, 0.4), bool),
    "bernoulli_tensor": (lambda key: random.bernoulli(key, tf.constant(0.4)), bool),
    "randint": (lambda key: random.randint(key, (), -3, 9), int),
    "randint_tensor": (lambda key: random.randint(key, (), 0, tf.constant(9)), int),
    "randint_int64": (lambda key: random.randint(key, (), 0, 2**40, tf.int64), int),
    "randint_any_word": (lambda key: random.randint(key, (), -(2**63), 2**63, tf.int64), int),
    "bits": (random.bits, np.uint32),
    "bits_uint64": (lambda key: random.bits(key, dtype=tf.uint64), np.uint64),
}


@pytest.mark.parametrize(("draw", "kind"), DRAWS.values(), ids=DRAWS)
def test_a_draw_of_one_number_is_a_number_with_the_value_of_the_batch(draw, kind) -> None:
    drawn = pcbatch.autobatch(lambda key: draw(key), jit=False)
    batch = drawn(KEYS).numpy()
    for key, expected in zip(KEYS, batch, strict=True):
        alone = drawn.single(key)
        assert isinstance(alone, kind) and not tf.is_tensor(alone)
        assert alone == expected
        assert alone == draw(key).numpy()  # a tensor, where no example is run alone
        assert tf.convert_to_tensor(alone).shape == ()


def test_keys_and_arrays_stay_tensors() -> None:
    @pcbatch.autobatch
    def several(key):
        return random.split(key), random.fold_in(key, 1), random.normal(key, (3,)), random.key(5)

    assert all(map(tf.is_tensor, several.single(KEYS[0])))


@pcbatch.autobatch(jit=False)
def coupons(key, n):
    """How many are drawn until each of n is there, and how often the first was."""
    seen, counts, draws = set(), {0: 0}, 0
    while len(seen) < n:
        k = random.randint(random.fold_in(key, draws), (), 0, n)
        seen.add(k)
        counts[k] = counts.get(k, 0) + 1
        draws += 1
    return draws, counts[0], isinstance(k, int)


def test_draws_are_elements_of_sets_and_keys_of_dicts() -> None:
    n = np.array([1, 2, 3, 4, 5, 6, 7, 8], np.int32)
    batch = [np.asarray(x).tolist() for x in tf.nest.flatten(coupons(KEYS, n))]
    alone = [coupons.single(key, int(k)) for key, k in zip(KEYS, n, strict=True)]
    assert [list(x) for x in zip(*alone, strict=True)] == batch[:2] + [[True] * 8]


def test_float32_numbers_add_up_as_in_a_batch() -> None:
    @pcbatch.autobatch(jit=False)
    def walk(key):
        total = 0.0
        for k in range(50):
            total += 0.1 * random.normal(random.fold_in(key, k))
        return total

    batch = walk(KEYS).numpy()
    assert [walk.single(key) for key in KEYS] == batch.tolist()


def test_tensorflow_takes_them_and_bounds_keep_their_gradient() -> None:
    @pcbatch.autobatch
    def scaled(key, x):
        low = random.uniform(key, minval=-x, maxval=x)
        return low * x + tf.exp(x * random.normal(key)) + random.exponential(key)

    x = tf.constant(0.5)
    with tf.GradientTape() as alone:
        alone.watch(x)
        y = scaled.single(KEYS[0], x)
    with tf.GradientTape() as plain:
        plain.watch(x)
        low = random.uniform(KEYS[0], minval=-x, maxval=x)
        normal, more = random.normal(KEYS[0]), random.exponential(KEYS[0])
        expected = low * x + tf.exp(x * normal) + more
    assert_close(y, expected, Tolerance(1e-6))
    slopes = alone.gradient(y, x), plain.gradient(expected, x)
    assert_close(*slopes, Tolerance(1e-6))


def test_a_traced_plain_run_has_tensors() -> None:
    @tf.function(autograph=False)
    def traced(key):
        return coin.single(key)

    @pcbatch.autobatch
    def coin(key):
        return random.normal(key)

    assert tf.is_tensor(traced(KEYS[0]))
    assert float(traced(KEYS[0])) == float(coin.single(KEYS[0]))
