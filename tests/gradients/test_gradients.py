"""`pcbatch.grad` and `pcbatch.value_and_grad` as users call them."""

from __future__ import annotations

import copy
import functools
import math
import pickle
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.gradients.traps import TRAPS, N, X, loops_left_early, power, tree
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

Y = np.array([0.5, 0.7])


def cube(x):
    return x * x * x


def slopes(function, *args, **options):
    return function.run(*args, throw=True, **{"jit": False, **options}).value


def test_the_gradient_has_the_form_of_the_argument() -> None:
    def polynomial(p, x):
        return p["a"] * x * x + p["b"] * math.sin(x) + p["n"]

    p = {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0]), "n": np.array([1, 2])}
    both = pcbatch.value_and_grad(polynomial, argnums=(0, 1))
    value, (of_p, of_x) = slopes(both, p, Y)
    assert_close(value, p["a"] * Y**2 + p["b"] * np.sin(Y) + p["n"], GRADIENT)
    assert_close(of_p["a"], Y**2, GRADIENT)
    assert_close(of_p["b"], np.sin(Y), GRADIENT)
    assert of_p["n"] is None
    assert_close(of_x, 2 * p["a"] * Y + p["b"] * np.cos(Y), GRADIENT)
    assert_close(slopes(pcbatch.grad(polynomial, argnums=1), p, Y), of_x, EXACT)
    assert_close(slopes(pcbatch.grad(polynomial, argnums=-1), p, Y), of_x, EXACT)


def test_something_beside_is_handed_on() -> None:
    def square(x, n):
        return x * x, {"twice": 2 * x, "n": n}

    n = np.array([1, 2])
    (value, aux), slope = slopes(pcbatch.value_and_grad(square, has_aux=True), Y, n)
    assert_close(value, Y * Y, GRADIENT)
    assert_close(aux["twice"], 2 * Y, EXACT)
    assert_close(aux["n"], n, EXACT)
    again, aux = slopes(pcbatch.grad(square, has_aux=True), Y, n)
    assert_close(again, slope, EXACT)
    assert_close(aux["n"], n, EXACT)


def test_of_a_shared_argument_each_member_has_its_own() -> None:
    @pcbatch.autobatch(in_axes=(0, None))
    def dot(x, w):
        return tf.reduce_sum(w * x) * x

    of_x, of_w = slopes(pcbatch.grad(dot, argnums=(0, 1)), Y, np.ones(3))
    assert_close(of_x, 6 * Y, GRADIENT)
    assert_close(of_w, np.repeat(Y[:, None] ** 2, 3, 1), GRADIENT)


def test_a_gradient_written_in_a_call_is_made_once() -> None:
    square = pcbatch.autobatch(lambda x: x * x)
    assert pcbatch.grad(square) is pcbatch.grad(square)
    assert pcbatch.grad(square) is not pcbatch.value_and_grad(square)
    assert pcbatch.grad(square, argnums=(0,)) is not pcbatch.grad(square)


def test_gradients_of_gradients() -> None:
    n = np.array([4, 3])
    second = pcbatch.grad(pcbatch.grad(power))
    assert_close(slopes(second, Y, n), n * (n - 1) * Y ** (n - 2), GRADIENT)


@pytest.mark.thorough
def test_a_third_gradient_and_one_of_a_loop_left_early() -> None:
    third = pcbatch.grad(pcbatch.grad(pcbatch.grad(power)))
    assert_close(slopes(third, Y, np.array([4, 3])), [24 * Y[0], 6.0], GRADIENT)
    early = pcbatch.grad(pcbatch.grad(loops_left_early))
    assert_close(slopes(early, X, N), slopes(early, X, N, strategy="loop", jit=True), GRADIENT)
    assert_close(slopes(early, X, N, jit=True), slopes(early, X, N), GRADIENT)


def test_a_program_asks_for_gradients_while_it_runs() -> None:
    def descend(x, n):
        if n == 0:
            return x
        return descend(x - 0.1 * pcbatch.grad(cube)(x), n - 1)

    n, expected = np.array([2, 3]), Y.copy()
    for k in range(3):
        expected = np.where(n > k, expected - 0.3 * expected**2, expected)
    assert_close(slopes(pcbatch.autobatch(descend), Y, n), expected, GRADIENT)
    assert_close(slopes(pcbatch.autobatch(descend), Y, n, jit=True), expected, GRADIENT)


def test_a_gradient_of_a_nested_function_sees_its_variables() -> None:
    def outer(x, k):
        def inner(y):
            s = y
            while s < 3.0:
                s = s * k * 2
            return s * y

        value, slope = pcbatch.value_and_grad(inner)(x)
        return value + slope + pcbatch.grad(pcbatch.grad(inner))(x)

    k = np.array([1.5, 1.7])
    times = np.ceil(np.log(3.0 / Y) / np.log(2 * k))
    scale = (2 * k) ** times
    assert_close(slopes(pcbatch.autobatch(outer), Y, k), scale * (Y**2 + 2 * Y + 2), GRADIENT)


def test_gradients_of_functions_of_libraries() -> None:
    expected = np.cos(Y)
    for function in (np.sin, tf.sin, math.sin, functools.partial(tf.sin)):
        assert_close(slopes(pcbatch.grad(function), Y), expected, GRADIENT)


@pytest.mark.thorough
def test_gradients_through_lists_dicts_and_none() -> None:
    def program(x, n):
        by_number, powers = {}, [x]
        for i in range(n):
            by_number[i] = x * i
            powers.append(powers[-1] * x)
        last = by_number[n - 1] if n > 0 else None
        return x * x if last is None else last * powers[-1] + sum(by_number.values())

    slope = slopes(pcbatch.grad(program), Y, np.array([0, 3]))
    assert_close(slope, [2 * Y[0], 10 * Y[1] ** 4 + 3], GRADIENT)


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{}, {"schedule": "switch", "jit": True}], ids=str)
def test_what_a_function_writes_stays_written(how: dict[str, Any]) -> None:
    def appends(x, log):
        log.append(x)
        return x * x * log[0]

    def stores(x, row):
        row[0] = row[1] * x
        return x * row[0]

    def program(x, n):
        log, row = [x], pcbatch.buffer(2, like=x)
        for _ in range(n):
            log.append(x + 1.0)
        row[1] = 3.0
        slope = pcbatch.grad(appends)(x, log) + pcbatch.grad(stores)(x, row)
        return len(log), log[-1], row[0], slope

    n = np.array([1, 2])
    expected = slopes(pcbatch.autobatch(program), Y, n, strategy="loop", jit=True)
    assert np.asarray(expected[0]).tolist() == [3, 4]
    assert_close(expected[2], 3.0 * Y, EXACT)
    for a, b in zip(slopes(pcbatch.autobatch(program), Y, n, **how), expected, strict=True):
        assert_close(a, b, GRADIENT)


def test_gradients_through_functions_that_take_the_batch_axis() -> None:
    def root(x):
        return tf.sqrt(x), x * x

    def program(x, n):
        a, b = pcbatch.batched(root)(x)
        return a * b if n > 0 else b

    # The root of 0 has an infinite derivative, and this member does not use it.
    x, n = np.array([0.0, 0.25, 4.0]), np.array([0, 1, 0])
    assert_close(slopes(pcbatch.grad(program), x, n), [0.0, 2.5 * 0.25**1.5, 8.0], GRADIENT)


class Spring:
    def __init__(self, k):
        self.k = k

    @pcbatch.autobatch
    def energy(self, x):
        return self.k * x * x

    force = pcbatch.grad(energy)


def test_gradients_of_methods() -> None:
    assert_close(slopes(pcbatch.grad(Spring(3.0).energy), Y), 6 * Y, GRADIENT)
    assert_close(slopes(Spring(2.0).force, Y), 4 * Y, GRADIENT)
    assert Spring(1.0).force.owner.k == 1.0


@pcbatch.autobatch
def square(x):
    return x * x


def test_a_gradient_is_copied_and_pickled_with_its_function() -> None:
    twice = pcbatch.grad(square)
    for other in (pickle.loads(pickle.dumps(twice)), copy.deepcopy(twice)):
        assert_close(slopes(other, Y), 2 * Y, GRADIENT)
    assert "grad(square)" in repr(twice)


def test_a_member_that_fails_has_a_status_and_no_slope() -> None:
    def fails(x, n):
        if n > 1:
            raise ValueError("too many")
        return x * x / n

    result = pcbatch.value_and_grad(fails).run(np.full(3, 0.5), np.array([1, 2, 0]), jit=False)
    assert result.message(1).startswith("ValueError: too many")
    assert result.message(2).startswith("ZeroDivisionError")
    assert_close(result.value[1], [1.0, 0.0, 0.0], GRADIENT)

    def caught(x, n):
        try:
            return pcbatch.grad(fails)(x, n)
        except ValueError:
            return -1.0

    slope = slopes(pcbatch.autobatch(caught), Y, np.array([1, 2]))
    assert_close(slope, [2 * Y[0], -1.0], GRADIENT)


def test_nan_of_another_member_is_not_seen() -> None:
    x = np.array([0.3, np.nan, np.inf, -0.7])
    alone = of_plain_python(tree, (x[[0, 3]], N[[0, 3]]))
    assert_close(np.asarray(slopes(pcbatch.grad(tree), x, N))[[0, 3]], alone, GRADIENT)


def test_one_example() -> None:
    value, slope = pcbatch.value_and_grad(cube).single(2.0)
    assert (value, slope) == (8.0, 12.0)
    assert isinstance(slope, float)


def test_map_and_tf_function() -> None:
    found = list(pcbatch.map(pcbatch.grad(cube), [1.0, 2.0, 3.0]))
    assert_close(found, [3.0, 12.0, 27.0])
    assert_close(tf.function(lambda x: pcbatch.grad(cube)(x))(Y), 3 * Y**2, GRADIENT)


def test_a_host_call_that_no_derivative_passes() -> None:
    def program(x):
        spec = tf.TensorSpec([], tf.int64)
        label = pcbatch.host_call(lambda x: np.int64(x > 0.6), x, result=spec)
        return x * x if label > 0 else x

    assert_close(slopes(pcbatch.grad(program), Y), [1.0, 2 * Y[1]], GRADIENT)


def test_a_run_stops_and_goes_on(tmp_path) -> None:
    both = pcbatch.value_and_grad(TRAPS["tree"].function)
    path = str(tmp_path / "gradient.npz")
    cut = both.run(X, N, max_steps=5, checkpoint=path, schedule="switch")
    assert not np.all(np.asarray(cut.status) == 0)
    value = both.run(X, N, resume=path, schedule="switch", throw=True).value
    assert_close(value[1], of_plain_python(tree, (X, N)), GRADIENT)


@pytest.mark.parametrize("strategy", ["local", "hybrid"])
def test_strategies_that_do_not_differentiate_say_so(strategy: str) -> None:
    with pytest.raises(pcbatch.ArgumentError, match="does not"):
        pcbatch.grad(cube).run(Y, strategy=strategy)


@pytest.mark.parametrize("argnums", ["x", 1.0, (0, "x"), None])
def test_argnums_are_positions(argnums) -> None:
    with pytest.raises(pcbatch.ArgumentError, match="argnums"):
        pcbatch.grad(cube, argnums=argnums)


def test_a_gradient_is_that_of_a_function() -> None:
    with pytest.raises(pcbatch.ArgumentError, match="function"):
        pcbatch.grad(3.0)


def test_the_program_reads_as_what_it_does() -> None:
    lowered = pcbatch.grad(power).lower(Y, np.array([1, 2]))
    assert "= call power(x, n), gradient of x" in lowered.as_text("typed")
    text = lowered.as_text(lowered.stages[-1])
    assert "= back(" in text
    assert "x * %" in text
    assert "origin" in text
