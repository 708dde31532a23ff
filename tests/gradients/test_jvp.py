"""Forward mode: tangents are those of plain Python's derivative, along any direction."""

from __future__ import annotations

import functools
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.passes.forward import pushforward
from tests.gradients.traps import TRAPS, N, X, loops_left_early, nested_loops, tree
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, Tolerance, assert_close

DIFFERENCES = Tolerance(1e-7, 1e-8)
"""Of central differences with a step of 1e-6: its square, and roundings over it."""
COMPILED = ("loops_left_early", "tree", "changed_after_it_was_read")


def direction(x: np.ndarray) -> np.ndarray:
    return np.linspace(0.5, 1.5, x.size).reshape(x.shape)


@functools.cache
def truth(name: str) -> np.ndarray:
    slope = of_plain_python(*TRAPS[name])
    product = slope * direction(slope)
    return product.reshape(len(product), -1).sum(1)


def assert_along(moved: Any, name: str, place: str = "") -> None:
    """Where numbers overflow, the way decides between infinity and NaN."""
    finite = np.isfinite(truth(name))
    assert finite.sum() > 2
    assert_close(np.asarray(moved)[finite], truth(name)[finite], GRADIENT, place)


@functools.cache
def along(name: str) -> pcbatch.Autobatched:
    function = TRAPS[name].function

    def program(x, n, dx):
        return pcbatch.jvp(function, (x, n), (dx, None))

    return pcbatch.autobatch(program)


def arguments(name: str) -> tuple[np.ndarray, ...]:
    x, n = TRAPS[name].args
    return x, n, direction(x)


@pytest.mark.every(24)
@pytest.mark.parametrize("name", TRAPS)
def test_the_tangent_is_that_of_plain_python(name: str) -> None:
    for form in ("call", "stack"):
        _, moved = along(name).lower(*arguments(name)).interpret(form)
        assert_along(moved, name, form)
    value, moved = along(name).run(*arguments(name), jit=False, throw=True).value
    assert_along(moved, name)
    function, args = TRAPS[name]
    assert_close(value, pcbatch.autobatch(function).run(*args, jit=False).value, EXACT)


@pytest.mark.every(12, 2)
@pytest.mark.parametrize("how", [{}, {"schedule": "switch"}, {"shards": 2}], ids=str)
@pytest.mark.parametrize("name", COMPILED)
def test_every_schedule_and_shards_give_it(name: str, how: dict[str, Any]) -> None:
    _, moved = along(name).run(*arguments(name), throw=True, **how).value
    assert_along(moved, name)


def test_nothing_is_recorded() -> None:
    program = along("nested_loops").lower(*arguments("nested_loops")).stack_form
    pushes = [o for b in program.blocks for o in b.operations if isinstance(o, ir.Push)]
    assert not program.tapes and not pushes


def test_a_wrong_derivative_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = pushforward.Pushforward.__call__
    monkeypatch.setattr(
        pushforward.Pushforward, "__call__", lambda *args: tuple(1.001 * x for x in right(*args))
    )

    def program(x, n):
        return pcbatch.jvp(tree, (x, n), (1.0, None))[1]

    with pytest.raises(AssertionError):
        found = pcbatch.autobatch(program).lower(X, N).interpret("stack")
        assert_close(found, of_plain_python(tree, (X, N)), GRADIENT)


def cubes(x, n):
    return x**3 if n > 2 else n * x**3


@pytest.mark.thorough
@pytest.mark.parametrize("function", [cubes, loops_left_early])
def test_forward_over_reverse_and_reverse_over_forward(function: Any) -> None:
    def of_gradient(x, n):
        return pcbatch.jvp(pcbatch.grad(function), (x, n), (1.0, None))[1]

    def of_tangent(x, n):
        return pcbatch.jvp(function, (x, n), (1.0, None))[1]

    wanted = pcbatch.grad(pcbatch.grad(function)).run(X, N, jit=False).value
    assert_close(pcbatch.autobatch(of_gradient).run(X, N, jit=False).value, wanted, GRADIENT)
    assert_close(pcbatch.grad(of_tangent).run(X, N, jit=False).value, wanted, GRADIENT)


# --- How it is called ---------------------------------------------------------------------------


class State(NamedTuple):
    q: Any
    p: Any
    count: Any


def oscillate(state: State, rate: Any) -> tuple[State, Any]:
    q, p = state.q, state.p
    for _ in range(state.count):
        p = p - rate * np.sin(q)
        q = q + 0.1 * p
    return State(q, p, state.count), state.count + 1


@pytest.mark.thorough
def test_structures_and_several_results() -> None:
    q = np.random.default_rng(0).standard_normal((3, 2))
    count, rate = np.array([3, 0, 2]), np.array([0.5, 0.2, 0.9])
    primals = State(q, 0.1 * q, count), rate
    tangents = State(direction(q), None, None), np.ones(3)
    (value, more), (moved, nothing) = pcbatch.jvp(oscillate, primals, tangents)
    assert_close(more, count + 1, EXACT)
    assert nothing is None and moved.count is None
    step = 1e-6
    ahead, behind = (
        pcbatch.autobatch(oscillate)(
            State(q + h * direction(q), 0.1 * q, count), rate + h
        )[0]
        for h in (step, -step)
    )  # fmt: skip
    for name in ("q", "p"):
        wanted = (getattr(ahead, name) - getattr(behind, name)) / (2 * step)
        assert_close(getattr(moved, name), wanted, DIFFERENCES)
    assert_close(value.q, pcbatch.autobatch(oscillate)(*primals)[0].q, EXACT)


@pytest.mark.thorough
def test_outside_in_single_and_by_a_nested_function() -> None:
    wanted = of_plain_python(nested_loops, (X, N)) * 2.0
    _, moved = pcbatch.jvp(nested_loops, (X, N), (np.full(4, 2.0), None))
    assert_close(moved, wanted, GRADIENT)

    @pcbatch.autobatch(jit=False)
    def nested(x, n):
        def inner(y):
            return nested_loops(y, n)

        return pcbatch.jvp(inner, primals=(x,), tangents=(2.0,))[1]

    assert_close(nested(X, N), wanted, GRADIENT)
    assert_close(nested.single(X[3], int(N[3])), wanted[3], GRADIENT)


def test_it_is_pickled_by_its_name() -> None:
    assert pcbatch.jvp.__name__ == "jvp"
    assert pickle.loads(pickle.dumps(pcbatch.jvp)) is pcbatch.jvp


@pytest.mark.parametrize("strategy", ["local", "hybrid"])
def test_masks_refuse(strategy: str) -> None:
    with pytest.raises(pcbatch.PcbatchError, match="differentiates, and strategy"):
        along("tree").run(*arguments("tree"), strategy=strategy)


def test_a_member_that_raises_has_its_status() -> None:
    def root(x):
        if x < 0.0:
            raise ValueError("negative")
        return np.sqrt(x)

    def program(x):
        return pcbatch.jvp(root, (x,), (1.0,))[1]

    result = pcbatch.autobatch(program).run(np.array([4.0, -1.0]), jit=False)
    assert np.asarray(result.status).astype(bool).tolist() == [False, True]
    assert_close(result.value[0], 0.25, EXACT)


def test_what_does_not_move_adds_nothing() -> None:
    """Though its derivative be infinite."""

    def root(x, y):
        return tf.sqrt(x) + y * y

    _, moved = pcbatch.jvp(root, (np.zeros(2), np.ones(2)), (np.zeros(2), np.ones(2)))
    assert_close(moved, [2.0, 2.0], EXACT)


def refusal(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> str:
    with pytest.raises(ProgramError) as caught:
        pcbatch.jvp(nested_loops, primals, tangents)
    return str(caught.value)


def test_tangents_that_do_not_fit_are_refused() -> None:
    assert "the tangents do not fit the arguments" in refusal((X, N), (X,))
    assert "the tangents do not fit the arguments" in refusal((X, N), ((X, X), None))
    assert "the tangents do not fit the arguments" in refusal((X, N), (X, X))
    text = refusal((X, N), ((X, X), None))
    assert "tests/gradients/test_jvp.py" in text and "pcbatch.jvp(nested_loops" in text
    with pytest.raises(pcbatch.ArgumentError, match="as tuples"):
        pcbatch.jvp(nested_loops, X, X)


def test_a_number_is_the_tangent_of_all_members() -> None:
    wanted = of_plain_python(nested_loops, (X, N)) * 2.0
    assert_close(pcbatch.jvp(nested_loops, (X, N), (2.0, None))[1], wanted, GRADIENT)


def test_a_host_call_is_refused() -> None:
    def on_host(x):
        return pcbatch.host_call(np.sin, x, result=tf.TensorSpec([], tf.float64))

    with pytest.raises(ProgramError, match="a gradient would pass through `sin`"):
        pcbatch.jvp(on_host, (X,), (X,))


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{"jit": False}, {"strategy": "loop"}], ids=str)
def test_what_raises_is_caught_and_nothing_need_move(how: dict[str, Any]) -> None:
    def squared(x, n):
        if n > 4:
            raise ValueError("too many")
        return x * x

    def program(x, n):
        _, still = pcbatch.jvp(loops_left_early, (x, n), (None, None))
        try:
            return pcbatch.jvp(squared, (x, n), (1.0, None))[1] + still
        except ValueError:
            return -1.0

    found = pcbatch.autobatch(program).run(X, N, throw=True, **how).value
    assert_close(found, np.where(N > 4, -1.0, 2.0 * X), EXACT)
