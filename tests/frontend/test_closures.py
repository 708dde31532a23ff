"""Nested functions: captured by value, and lowered with what they captured as parameters."""

from __future__ import annotations

import types

import pytest

from pcbatch import frontend
from pcbatch.semantics.static_values import Closure
from tests.frontend.source_interpreter import interpret, run

OFFSET = 100


def never(value: object) -> bool:
    return False


def adder(n):
    k = 10 * n

    def add(x, y=k + 1, *rest, z=2):
        if x > 3:
            return x + y * z + k
        return sum(rest, OFFSET)

    return add


def power(n):
    def power_of(base, exponent):
        if exponent == 0:
            return n
        return base * power_of(base, exponent - 1)

    return power_of


def collatz_lambda(n):
    steps = lambda m: 0 if m == 1 else n + steps(m // 2 if m % 2 == 0 else 3 * m + 1)  # noqa: E731
    return steps


def nested_twice(n):
    def outer(x):
        inner = lambda y: y + x + n  # noqa: E731
        return inner(1)

    return outer


def decorated(n):
    def ten_times(g):
        return lambda x: 10 * g(x)

    @ten_times
    def g(x):
        return x + n

    return g


def call(closure: Closure, *args):
    """Run a closure in source form; calls of closures inside run as Python."""
    lowered = frontend.lower_closure(closure, needs_call=never)
    assert lowered.free == ()
    assert lowered.params[: len(closure.captured)] == tuple(closure.captured)
    values = (*closure.captured.values(), *args)
    return interpret(closure.function, lowered, values)


def test_a_nested_function_is_a_closure_of_what_it_reads():
    closure = run(adder, 2)
    assert isinstance(closure, Closure)
    assert sorted(closure.captured) == ["OFFSET", "__pcbatch_1", "k"]
    assert closure.__name__ == "add"
    assert closure(5) == adder(2)(5)
    assert closure(1, 2, 3, z=4) == adder(2)(1, 2, 3, z=4)


def test_closures_of_one_place_share_the_factory():
    lowered = frontend.lower(adder, needs_call=never)
    first, second = (interpret(adder, lowered, (n,)) for n in (1, 2))
    assert first.factory is second.factory
    assert first.captured != second.captured


def test_lowered_with_the_captured_variables_as_parameters():
    closure = run(adder, 2)
    for x in (1, 5):
        assert call(closure, x, 21, (7,), 2) == adder(2)(x, 21, 7)


@pytest.mark.parametrize(
    ("make", "n", "args"),
    [(power, 3, (2, 5)), (collatz_lambda, 2, (6,)), (nested_twice, 5, (7,))],
)
def test_lowered_closures_do_what_python_does(make, n, args):
    closure = run(make, n)
    assert frontend.can_lower_closure(closure)
    assert call(closure, *args) == make(n)(*args) == closure(*args)


def test_a_decorated_nested_function_is_not_lowered():
    closure = run(decorated, 4)
    assert isinstance(closure, Closure)
    assert not frontend.can_lower_closure(closure)
    assert closure(1) == 50


def test_a_closure_can_be_made_again_from_other_values():
    closure = run(adder, 2)
    again = Closure(closure.factory, closure.captured | {"k": 0})
    assert again(5) == 5 + 21 * 2
    assert isinstance(again.function, types.FunctionType)
