"""Gradients are those of plain Python, however a program goes its ways."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import pcbatch
from pcbatch.passes.reverse import derivative
from tests.gradients.traps import TRAPS, N, X, nested_loops, power, tree
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

COMPILED = ("loops_left_early", "tree", "changed_after_it_was_read")
"""They are also compiled with XLA, which takes seconds."""
WAYS = {
    "xla": {},
    "switch": {"schedule": "switch"},
    "two shards": {"shards": 2},
}


@functools.cache
def truth(name: str) -> np.ndarray:
    return of_plain_python(*TRAPS[name])


@functools.cache
def gradient(name: str) -> pcbatch.Autobatched:
    return pcbatch.value_and_grad(TRAPS[name].function)


@pytest.mark.every(24)
@pytest.mark.parametrize("name", TRAPS)
def test_the_gradient_is_that_of_a_tape_around_plain_python(name: str) -> None:
    function, args = TRAPS[name]
    for form in ("call", "stack"):
        value, slope = gradient(name).lower(*args).interpret(form)
        assert_close(slope, truth(name), GRADIENT, form)
    value, slope = gradient(name).run(*args, jit=False, throw=True).value
    assert_close(slope, truth(name), GRADIENT)
    assert_close(value, pcbatch.autobatch(function).run(*args, jit=False).value, EXACT)


@pytest.mark.every(5, 2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", COMPILED)
def test_every_schedule_and_shards_give_it(name: str, way: str) -> None:
    _, slope = gradient(name).run(*TRAPS[name].args, throw=True, **WAYS[way]).value
    assert_close(slope, truth(name), GRADIENT)


def test_without_any_pass_it_is_the_same() -> None:
    compiled = gradient("tree").lower(X, N).compile(jit=False, optimize=False)
    assert_close(compiled(X, N)[1], truth("tree"), GRADIENT)


@pytest.mark.thorough
def test_members_are_differentiated_on_their_own() -> None:
    order = [2, 0, 3, 1]
    both = gradient("tree").run(X[order], N[order], jit=False).value
    assert_close(both[1], truth("tree")[order], GRADIENT)
    alone = [gradient("tree").run(X[k : k + 1], N[k : k + 1], jit=False).value[1] for k in order]
    assert_close(np.concatenate(alone), both[1], EXACT)


def test_a_wrong_derivative_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that these tests are known to see one."""
    right = derivative.Derivative.__call__
    monkeypatch.setattr(
        derivative.Derivative, "__call__", lambda *args: tuple(1.001 * x for x in right(*args))
    )
    _, slope = pcbatch.value_and_grad(tree).lower(X, N).interpret("stack")
    with pytest.raises(AssertionError):
        assert_close(slope, truth("tree"), GRADIENT)


def test_long_and_short_members_have_tapes_of_their_own() -> None:
    x, n = np.full(4, 0.4), np.array([3, 900, 0, 40])

    def decay(x, n):
        s = x
        for _ in range(n):
            s = s * 0.99 + tf_sin(s) * x * 0.01
        return s

    def tf_sin(s):
        return s - s * s * s / 6.0

    slope = pcbatch.grad(decay).run(x, n, throw=True).value
    assert_close(slope, of_plain_python(decay, (x, n)), GRADIENT)


def halved(x, n):
    s = x
    for _ in range(n):
        s = s * s * 0.5 + x
    return s


@pytest.mark.thorough
def test_a_tape_that_takes_too_much_says_where() -> None:
    x, n = np.full(4, 0.4), np.array([3, 100_000, 0, 40])
    result = pcbatch.grad(halved).run(x, n, jit=False, max_stack_bytes=10_000)
    assert np.asarray(result.status).astype(bool).tolist() == [False, True, False, False]
    assert result.message(1).startswith(
        "the way through halved, which is recorded for its gradient"
    )
    assert "too long for the memory" in result.message(1)
    short = pcbatch.grad(halved).run(x, n, jit=False, max_stack_depth=50)
    assert "longer than the stack of 50 frames" in short.message(1)


# --- What is recorded --------------------------------------------------------------------------


def recorded(function, *args) -> dict[str, tuple[str, ...]]:
    """By block, what a program with its way back pushes on tapes."""
    program = pcbatch.grad(function).lower(*args).stack_form
    return {
        block.label: tuple(o.variable for o in block.operations if type(o).__name__ == "Push")
        for block in program.blocks
        if any(getattr(o, "variable", "") in program.tapes for o in block.operations)
    }


def test_what_is_not_overwritten_is_not_recorded() -> None:
    pushed = [name for names in recorded(power, X, N).values() for name in names]
    assert pushed
    assert not any("power.x" in name for name in pushed)  # a recursion passes it on


def test_a_sum_records_no_summands() -> None:
    def total(x, n):
        s = 0.0
        for i in range(n):
            s = s + x * x
        return s

    pushed = [name for names in recorded(total, X, N).values() for name in names]
    assert all("origin" in name for name in pushed)


@pytest.mark.thorough
def test_tapes_are_no_part_of_a_program_without_gradients() -> None:
    assert not pcbatch.autobatch(nested_loops).lower(X, N).stack_form.tapes
