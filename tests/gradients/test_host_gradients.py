"""Gradients through Python on the host: by the rule that its call has, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import HostCallError, ProgramError
from tests.gradients.traps import N, X
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

FLOAT = tf.TensorSpec([], tf.float64)
WAYS = {
    "eager": {"jit": False},
    "switch": {"jit": False, "schedule": "switch"},
    "compiled": {},
    "loop": {"strategy": "loop"},
}


def cubed(x, k):
    return x**3 * (k + 1)


def slope_of_cubed(x, k, adjoint):
    return 3 * x**2 * (k + 1) * adjoint, None


def program(x, n):
    s = x
    for k in range(n):
        s = pcbatch.host_call(cubed, s, k, result=FLOAT, gradient=slope_of_cubed) * 0.3 + x * s
    return s


def truth() -> np.ndarray:
    def plain(x, n):
        s = x
        for k in range(n):
            s = cubed(s, k) * 0.3 + x * s
        return s

    return of_plain_python(plain, (X, N))


@pytest.mark.every(2)
@pytest.mark.parametrize("way", WAYS)
def test_the_rule_is_used(way: str) -> None:
    assert_close(pcbatch.grad(program).run(X, N, throw=True, **WAYS[way]).value, truth(), GRADIENT)


def test_under_a_tape() -> None:
    for strategy in ("pc", "loop"):
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            run = pcbatch.autobatch(program).run(x, N, strategy=strategy, jit=False)
        assert_close(tape.gradient(run.value, x), truth(), GRADIENT, strategy)


def test_the_interpreters_agree() -> None:
    for form in ("call", "stack"):
        assert_close(pcbatch.grad(program).lower(X, N).interpret(form), truth(), GRADIENT, form)


# --- Structures, shared values, several results -------------------------------------------------

WEIGHTS = tf.constant(np.linspace(-1.0, 1.0, 120).reshape(40, 3))


def layer(weights, state):
    value = np.einsum("kij,kj->ki", weights, state["q"])
    return {"sum": value.sum(1) * state["scale"], "rows": np.full(len(value), 40)}


def back_through_layer(weights, state, adjoint):
    scaled = (adjoint["sum"] * state["scale"])[:, None, None]
    of_weights = scaled * np.broadcast_to(state["q"][:, None], weights.shape)
    of_q = scaled[:, 0] * weights.sum(1)
    value = np.einsum("kij,kj->k", weights, state["q"])
    return of_weights, {"q": of_q, "scale": value * adjoint["sum"]}


LAYER = {"sum": FLOAT, "rows": tf.TensorSpec([], tf.int64)}


@pcbatch.autobatch(jit=False)
def on_the_host(q, n):
    total = 0.0
    for k in range(n):
        state = {"q": q * k, "scale": total + 2.0}
        found = pcbatch.host_call(layer, WEIGHTS, state, result=LAYER, gradient=back_through_layer)
        total = total * 0.5 + found["sum"] / found["rows"]
    return total


@pcbatch.autobatch(jit=False)
def in_the_program(q, n):
    total = 0.0
    for k in range(n):
        total = total * 0.5 + tf.reduce_sum(tf.linalg.matvec(WEIGHTS, q * k)) * (total + 2.0) / 40
    return total


@pytest.mark.every(2)
@pytest.mark.parametrize("strategy", ["pc", "loop"])
def test_structures_and_what_all_members_share(strategy: str) -> None:
    q = tf.constant(np.random.default_rng(2).standard_normal((4, 3)))
    slopes = []
    for function in (on_the_host, in_the_program):
        with tf.GradientTape() as tape:
            tape.watch([q, WEIGHTS])
            loss = tf.reduce_sum(function.run(q, N, strategy=strategy).value)
        slopes.append(tape.gradient(loss, [q, WEIGHTS]))
    for found, wanted in zip(*slopes, strict=True):
        assert_close(found, wanted, GRADIENT)
    assert np.abs(slopes[0][1]).max() > 0.1


def test_the_host_is_asked_once_for_each_call() -> None:
    asked = []

    def told(x, adjoint):
        asked.append(len(x))
        return (2 * x * adjoint,)

    def squares(x, n):
        for _ in range(n):
            x = pcbatch.host_call(np.square, x, result=FLOAT, gradient=told)
        return x

    x = np.array([1.1, 0.9, 1.0, 0.8])
    slope = pcbatch.grad(squares).run(x, np.array([2, 1, 0, 2]), jit=False).value
    assert_close(slope, [4 * 1.1**3, 1.8, 1.0, 4 * 0.8**3], GRADIENT)
    assert sum(asked) == 5


def test_without_a_gradient_it_changes_nothing() -> None:
    def plain(x, n):
        s = x
        for k in range(n):
            s = pcbatch.host_call(cubed, s, k, result=FLOAT) * 0.3 + x * s
        return s

    values = [pcbatch.autobatch(f).run(X, N, jit=False).value for f in (program, plain)]
    assert_close(*values, EXACT)
    assert pcbatch.autobatch(program).single(0.5, 3) == pcbatch.autobatch(plain).single(0.5, 3)


# --- Refusals ----------------------------------------------------------------------------------


def without_rule(x, n):
    for _ in range(n):
        x = pcbatch.host_call(np.square, x, result=FLOAT) + x
    return x


@pytest.mark.parametrize("strategy", ["pc", "loop"])
def test_without_a_rule_it_is_refused(strategy: str) -> None:
    wanted = "a gradient would pass through `square`"
    with pytest.raises(ProgramError, match=wanted):
        pcbatch.grad(without_rule).run(X, N, strategy=strategy, jit=False)
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = pcbatch.autobatch(without_rule).run(x, N, strategy=strategy, jit=False).value
    with pytest.raises(ProgramError, match=wanted):
        tape.gradient(value, x)


@pytest.mark.parametrize("strategy", ["pc", "loop"])
def test_a_gradient_of_the_gradient_is_refused(strategy: str) -> None:
    with pytest.raises(ProgramError, match="a gradient would pass through `"):
        pcbatch.grad(pcbatch.grad(program)).run(X, N, strategy=strategy, jit=False)


WRONG: dict[str, tuple[Any, str]] = {
    "no tuple": (lambda x, adjoint: 2 * x * adjoint, "not a tuple with the derivative"),
    "too many": (lambda x, adjoint: (x, x), "not a tuple with the derivative"),
    "one for all": (lambda x, adjoint: (np.float64(2.0),), r"must be float64\[1\]"),
    "raises": (lambda x, adjoint: 1 // 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_told(name: str) -> None:
    rule, text = WRONG[name]

    def square(x):
        return pcbatch.host_call(np.square, x, result=FLOAT, gradient=rule)

    with pytest.raises(HostCallError, match=text) as caught:
        pcbatch.grad(square).run(X[:1], jit=False)
    assert "the gradient of square" in str(caught.value)


def test_arguments_by_name_are_refused() -> None:
    def square(x):
        return pcbatch.host_call(np.power, x1=x, result=FLOAT, gradient=lambda x, adjoint: (x,))

    with pytest.raises(ProgramError, match="with a gradient pass x1 by position"):
        pcbatch.grad(square).run(X, jit=False)
