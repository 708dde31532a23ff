"""Calls that a way back computes again give the gradients of calls that it has recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from pcbatch.errors import ProgramError
from tests.gradients.traps import N, X
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

Again = Callable[[Any], Any]


def step(s, x, n):
    for k in range(n):
        s = s * s * 0.3 + tf.sin(x * s) / (k + 1)
    return s


def roots(s):
    """Both sides are infinitely steep where the other one is taken."""
    if s > 0.0:
        return tf.sqrt(s), 1
    return -tf.sqrt(-s), 2


def in_a_line(again: Again):
    def program(x, n):
        return again(step)(x, x, n) * x

    return program


def in_a_loop(again: Again):
    def program(x, n):
        s = x
        for _ in range(n):
            s = again(step)(s, x, n) + 0.1 * s
        return s * x

    return program


def in_a_recursion(again: Again):
    def program(x, n):
        if n <= 1:
            return x
        left = program(again(step)(x, x, 2), n - 1)
        return left * program(x * 0.5, n - 3)

    return program


def one_in_another(again: Again):
    def twice(s, n):
        return again(step)(again(step)(s, s, n), s * s, 2)

    def program(x, n):
        s = x
        for _ in range(3):
            s = again(twice)(s, n) - 0.2 * x
        return s

    return program


def of_a_nested_function(again: Again):
    def program(x, n):
        def inner(s):
            while s < 3.0:
                s = s * 1.5 + x * x + 0.1
            return s * x

        total = 0.0
        for k in range(n):
            total += again(inner)(x + k)
        return total

    return program


def of_several_results(again: Again):
    def program(x, n):
        s, count = x, 0
        for _ in range(n):
            s, one = again(roots)(s - 0.4 * x)
            count += one
        return s * count

    return program


def of_which_one_result_is_not_used(again: Again):
    def pair(s):
        return s * s, tf.math.log(s - s)

    def program(x, n):
        s = x
        for _ in range(n):
            s, _ = again(pair)(s)
        return s

    return program


def of_one_variable_twice(again: Again):
    def product(a, b):
        return a * b * b

    def program(x, n):
        s = x
        for _ in range(n):
            s = again(product)(s, s) + again(product)(x, x)
        return s

    return program


def with_a_list_of_its_own(again: Again):
    def by_a_list(s, n):
        powers = [s]
        for k in range(n):
            powers.append(powers[k] * s)
        return sum(powers)

    def program(x, n):
        return again(by_a_list)(x, n) * again(by_a_list)(x * 0.5, n + 1)

    return program


def that_raises(again: Again):
    def careful(s, n):
        if n % 2 == 1:
            raise ValueError("odd")
        return s * s

    def program(x, n):
        s = x
        for k in range(n):
            try:
                s = again(careful)(s, k) + x
            except ValueError:
                s = 0.7 * s
        return s

    return program


MADE = (
    in_a_loop,
    in_a_recursion,
    one_in_another,
    of_a_nested_function,
    of_several_results,
    of_one_variable_twice,
    with_a_list_of_its_own,
    that_raises,
)
ARGS = {of_several_results: (X, np.array([1, 0, 1, 1]))}


@functools.cache
def truth(make: Any) -> np.ndarray:
    return of_plain_python(make(lambda function: function), ARGS.get(make, (X, N)))


@functools.cache
def gradient(make: Any) -> pcbatch.Autobatched:
    return pcbatch.value_and_grad(make(pcbatch.checkpoint))


@pytest.mark.every(9)
@pytest.mark.parametrize("make", MADE)
def test_the_gradient_is_that_of_plain_python(make: Any) -> None:
    args = ARGS.get(make, (X, N))
    for form in ("call", "stack"):
        _, slope = gradient(make).lower(*args).interpret(form)
        assert_close(slope, truth(make), GRADIENT, form)
    value, slope = gradient(make).run(*args, jit=False, throw=True).value
    assert_close(slope, truth(make), GRADIENT)
    plain = pcbatch.autobatch(make(lambda function: function)).run(*args, jit=False).value
    assert_close(value, plain, EXACT)


@pytest.mark.every(2)
@pytest.mark.parametrize("options", [{"shards": 2}, {}], ids=str)
def test_compiled_it_is_the_same(options: dict[str, int]) -> None:
    _, slope = gradient(one_in_another).run(X, N, throw=True, **options).value
    assert_close(slope, truth(one_in_another), GRADIENT)


def test_a_result_that_is_not_used_adds_nothing() -> None:
    _, slope = gradient(of_which_one_result_is_not_used).run(X, N, jit=False).value
    assert_close(slope, 2.0**N * X ** (2.0**N - 1), GRADIENT)


@pytest.mark.every(4)
@pytest.mark.parametrize("strategy", ["pc", "local", "hybrid", "loop"])
def test_without_a_gradient_nothing_changes(strategy: str) -> None:
    values = [
        pcbatch.autobatch(one_in_another(again)).run(X, N, strategy=strategy, jit=False).value
        for again in (pcbatch.checkpoint, lambda function: function)
    ]
    assert_close(*values, EXACT)


def test_it_is_a_function_of_its_own() -> None:
    again = pcbatch.checkpoint(step)
    assert again.__name__ == "checkpoint_step"
    assert_close(again.run(X, X, N, jit=False).value, pcbatch.autobatch(step)(X, X, N), EXACT)
    assert again.single(0.5, 0.5, 3) == step(0.5, 0.5, 3)


@pytest.mark.every(2)
@pytest.mark.parametrize("make", [in_a_line, in_a_loop])
def test_second_order(make: Any) -> None:
    made = [
        pcbatch.grad(pcbatch.grad(make(again))).run(X, N, jit=False, throw=True).value
        for again in (pcbatch.checkpoint, lambda function: function)
    ]
    assert_close(*made, GRADIENT)


# --- What is recorded --------------------------------------------------------------------------


def pushed(function: Any) -> set[str]:
    """What a gradient pushes where a member goes forward, by the first part of its name."""
    program = pcbatch.grad(function).lower(X, N).stack_form
    seed = next(i for i, b in enumerate(program.blocks) if b.label.startswith("seed"))
    operations = (o for block in program.blocks[:seed] for o in block.operations)
    return {o.variable for o in operations if isinstance(o, ir.Push)}


def test_only_arguments_are_recorded() -> None:
    recorded = pushed(in_a_loop(lambda function: function))
    again = pushed(in_a_loop(pcbatch.checkpoint))
    assert any(".step." in x for x in recorded)
    assert not any(".step." in x for x in again)


@pytest.mark.thorough
def test_a_run_that_took_too_much_memory_fits() -> None:
    """25 rounds of 20 rounds: 500 frames, or 25 and 20."""
    x, n = np.full(3, 0.4), np.array([20, 20, 18])

    def rounds(again: Again):
        def program(x, n):
            s = x
            for _ in range(25):
                s = again(step)(s, x, n) + 0.3 * x
            return s

        return program

    limit = {"max_stack_bytes": 20_000, "jit": False}
    recorded = pcbatch.grad(rounds(lambda function: function)).run(x, n, **limit)
    again = pcbatch.grad(rounds(pcbatch.checkpoint)).run(x, n, **limit)
    assert np.asarray(recorded.status).all()
    assert not np.asarray(again.status).any()
    plain = pcbatch.grad(rounds(lambda function: function))(x, n)
    assert_close(again.value, plain, GRADIENT)


# --- Weights -----------------------------------------------------------------------------------

WEIGHTS = {
    "few": np.linspace(-0.5, 0.5, 9).reshape(3, 3),
    "many": np.linspace(-0.3, 0.3, 100).reshape(10, 10),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_it_reads(name: str) -> None:
    weights = tf.Variable(WEIGHTS[name])
    x = np.random.default_rng(0).standard_normal((4, weights.shape[0]))

    def layers(s, n):
        for _ in range(n):
            s = tf.tanh(tf.linalg.matvec(weights, s)) + s
        return s

    def program(again: Again):
        def call(s, n):
            for _ in range(2):
                s = again(layers)(s, n)
            return tf.reduce_sum(s * s)

        return pcbatch.autobatch(call, jit=False)

    slopes = []
    for again in (pcbatch.checkpoint, lambda function: function):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(program(again)(x, N))
        slopes.append(tape.gradient(loss, weights))
    assert_close(*slopes, GRADIENT)
    assert np.abs(slopes[0]).max() > 1.0


@pytest.mark.thorough
def test_a_long_array_that_it_is_given() -> None:
    """Its adjoint is one to which rows are added elsewhere."""
    table = np.random.default_rng(1).standard_normal((4, 600))

    def look(array, k):
        return array[k] * array[k + 1]

    def program(again: Again):
        def call(array, n):
            s = array[0]
            for k in range(n):
                s = s * 0.5 + again(look)(array, k) * array[k]
            return s

        return call

    made = [
        pcbatch.grad(program(again)).run(table, N, jit=False, throw=True).value
        for again in (pcbatch.checkpoint, lambda function: function)
    ]
    assert_close(*made, GRADIENT)


# --- Refusals ----------------------------------------------------------------------------------


def refusal(function: Any) -> str:
    with pytest.raises(ProgramError) as caught:
        pcbatch.grad(function).run(X, N, jit=False)
    return str(caught.value)


def test_a_recursion_is_not_computed_again_by_itself() -> None:
    def down(x, n):
        if n == 0:
            return x
        return pcbatch.checkpoint(down)(x * x, n - 1)

    text = refusal(down)
    assert "calls itself, and a gradient is to compute it again" in text
    assert "pcbatch.checkpoint(down)(x * x, n - 1)" in text


def test_a_list_of_the_caller_is_not_read_again() -> None:
    def put(found, s):
        found.append(s)
        return s * found[0]

    def program(x, n):
        found = [x]
        for _ in range(n):
            x = pcbatch.checkpoint(put)(found, x)
        return x

    assert "uses a list of its caller's" in refusal(program)


def test_the_host_is_not_called_again() -> None:
    def told(s):
        pcbatch.debug_print("s = {}", s)
        return s * s

    def program(x, n):
        for _ in range(n):
            x = pcbatch.checkpoint(told)(x)
        return x

    assert "calls Python on the host" in refusal(program)
    _, moved = pcbatch.jvp(program, (X, N), (np.ones(4), None))  # forward mode runs it once
    assert_close(moved, 2.0**N * X ** (2.0**N - 1), GRADIENT)
