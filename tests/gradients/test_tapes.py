"""A `tf.GradientTape` around a batched call finds gradients of all that the call reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime import pullbacks
from tests.support.tolerances import GRADIENT, assert_close


class Layer(tf.Module):
    """A module with a variable, which the program reads through its method."""

    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(0.7, dtype=tf.float64)

    def __call__(self, x):
        return tf.tanh(self.scale * x)


VARIABLE = tf.Variable([0.4, -0.3], dtype=tf.float64)
CONSTANT = tf.constant([0.2, 0.5], tf.float64)
LAYER = Layer()
DENSE = tf.keras.layers.Dense(2, dtype="float64")
DENSE.build([None, 2])
DENSE.set_weights([np.array([[0.3, -0.1], [0.2, 0.6]]), np.array([0.1, -0.2])])
X = tf.constant(np.linspace(-1.0, 1.0, 8).reshape(4, 2))
N = np.array([2, 0, 3, 1])
READ = [X, CONSTANT, VARIABLE, LAYER.scale, *DENSE.trainable_variables]


@pcbatch.autobatch
def network(x, n):
    total = 0.0
    for _ in range(n):
        x = LAYER(VARIABLE * x + CONSTANT + DENSE(x[None])[0])
        total = total + tf.reduce_sum(x) * LAYER.scale
    return total, x


def gradients(call: Any) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch([X, CONSTANT])
        total, last = call(X, N)
        loss = tf.reduce_mean(total * total) + tf.reduce_sum(last)
    return tape.gradient(loss, READ)


def one_by_one(x, n):
    rows = [network.single(x[k], int(n[k])) for k in range(len(n))]
    columns = zip(*rows, strict=True)
    return tuple(tf.stack([tf.cast(v, tf.float64) for v in column]) for column in columns)


EXPECTED = gradients(one_by_one)
WAYS = {
    "eager": {"jit": False},
    "xla": {},
    "switch": {"schedule": "switch"},
    "shards": {"shards": 2},
    "loop": {"strategy": "loop"},
}


@pytest.mark.every(6)
@pytest.mark.parametrize("way", WAYS)
def test_of_arguments_tensors_variables_and_layers(way: str) -> None:
    found = gradients(lambda x, n: network.run(x, n, throw=True, **WAYS[way]).value)
    for slope, expected in zip(found, EXPECTED, strict=True):
        assert_close(slope, expected, GRADIENT)


@pytest.mark.every(2)
@pytest.mark.parametrize("jit", [False, True])
def test_in_a_tf_function(jit: bool) -> None:
    call = lambda x, n: network.run(x, tf.constant(n), max_stack_depth=8).value  # noqa: E731
    found = tf.function(lambda: gradients(call), jit_compile=jit)()
    for slope, expected in zip(found, EXPECTED, strict=True):
        assert_close(slope, expected, GRADIENT)


def test_in_a_tf_function_one_says_how_long_tapes_are() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="max_stack_depth"):
        tf.function(lambda: gradients(lambda x, n: network(x, tf.constant(n))), autograph=False)()


def test_a_tape_too_short_is_seen_in_a_tf_function() -> None:
    call = lambda x, n: network.run(x, tf.constant(n), max_stack_depth=2).value  # noqa: E731
    slope = tf.function(lambda: gradients(call))()[0]
    assert np.isnan(slope).tolist() == [[False] * 2, [False] * 2, [True] * 2, [False] * 2]


@pytest.mark.thorough
def test_a_persistent_tape_and_two_calls() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        first, _ = network(X, N)
        second, _ = network(2.0 * X, N)
        both = first + second
    slopes = [tape.gradient(y, X) for y in (first, second, both)]
    assert_close(slopes[2], slopes[0] + slopes[1], GRADIENT)
    assert_close(tape.gradient(first, X), slopes[0], GRADIENT)


def test_a_tape_around_vectorized_code_that_calls() -> None:
    def loss(x):
        return tf.reduce_sum(network(pcbatch.vectorize(tf.sin)(x), N)[0])

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = loss(X)
    with tf.GradientTape() as plain:
        plain.watch(X)
        z = tf.reduce_sum(one_by_one(tf.sin(X), N)[0])
    assert_close(tape.gradient(y, X), plain.gradient(z, X), GRADIENT)


def test_training_by_a_keras_optimizer() -> None:
    """Each loss is that of the same training without a batched call."""
    dense = tf.keras.layers.Dense(1, dtype="float64")
    dense.build([None, 2])
    target = tf.constant([0.1, 0.5, -0.2, 0.3], tf.float64)

    @pcbatch.autobatch
    def predict(x, n):
        while n > 0:
            x = x * 0.9
            n -= 1
        return dense(x[None])[0, 0]

    def losses(call: Any) -> list[float]:
        dense.set_weights([np.array([[0.9], [-0.8]]), np.array([0.4])])
        optimizer, found = tf.keras.optimizers.SGD(0.3), []
        for _ in range(8):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((call() - target) ** 2)
            slopes = tape.gradient(loss, dense.trainable_variables)
            optimizer.apply_gradients(zip(slopes, dense.trainable_variables, strict=True))
            found.append(float(loss))
        return found

    plain = losses(lambda: tf.stack([predict.single(x, int(n)) for x, n in zip(X, N, strict=True)]))
    assert plain[-1] < plain[0]
    assert_close(losses(lambda: predict(X, N)), plain, GRADIENT)


def test_an_argument_that_the_result_does_not_need_has_a_slope_of_zero() -> None:
    @pcbatch.autobatch
    def first(x, y):
        return x * x

    y = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(y)
        value = first(2.0 * y, y)
    assert_close(tape.gradient(value, y), 8.0 * y, GRADIENT)


def test_what_no_tape_watches_is_not_differentiated() -> None:
    """A large array that the program reads would need an adjoint for each member."""
    data = tf.constant(np.arange(6.0))

    @pcbatch.autobatch
    def total(x, n):
        return tf.reduce_sum(data * VARIABLE[0]) * x[0] * tf.cast(n, tf.float64)

    with tf.GradientTape() as tape:
        value, shapes = total(X, N), []
    before = pullbacks.pullback

    def noting(program, wrt):
        shapes.extend(source.type.shape if hasattr(source, "type") else source for source in wrt)
        return before(program, wrt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pullbacks, "pullback", noting)
        slope = tape.gradient(value, VARIABLE)
    assert shapes == [(2,)]
    assert_close(tf.convert_to_tensor(slope), [float(np.sum(15.0 * X[:, 0] * N)), 0.0], GRADIENT)


def test_a_variable_that_was_assigned_since_is_refused() -> None:
    variable = tf.Variable(2.0)

    @pcbatch.autobatch
    def scaled(x):
        return x * variable

    with tf.GradientTape() as tape:
        y = scaled(tf.range(3.0))
    variable.assign(3.0)
    with pytest.raises(pcbatch.PcbatchError, match="assigned since"):
        tape.gradient(y, variable)


def test_a_member_that_failed_has_no_slope() -> None:
    @pcbatch.autobatch
    def inverse(x):
        if x == 0.0:
            raise ValueError("zero")
        return 1.0 / x

    x = tf.constant([0.5, 0.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = inverse.run(x).value
    assert_close(tape.gradient(value, x), [-4.0, 0.0], GRADIENT)


def test_what_no_gradient_passes_through_is_refused() -> None:
    @pcbatch.autobatch
    def lists(x, n):
        found = [x[0]]
        for _ in range(n):
            found.append(x[1])
        return found

    def of(call: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(X)
            value = call(X, N)
            value = value.flat_values if isinstance(value, tf.RaggedTensor) else value
        return tape.gradient(value, X)

    with pytest.raises(pcbatch.PcbatchError, match="list or a buffer"):
        of(lists)
    with pytest.raises(pcbatch.PcbatchError, match="strategy"):
        of(lambda x, n: network.run(x, n, strategy="local").value[0])


def test_a_second_order_by_tapes_is_refused() -> None:
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as inner:
            inner.watch(X)
            value, _ = network(X, N)
        slope = inner.gradient(value, X)
    with pytest.raises(pcbatch.PcbatchError, match="gradient of the gradient"):
        outer.gradient(slope, X)
