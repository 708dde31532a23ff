"""Comprehensions, generators and what uses them up, as loops; `match`, `import`, `del`, caches."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import ints
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check


@pcbatch.autobatch
def halved(x):
    if x > 5:
        return x - 1
    return x * x


@pcbatch.autobatch
def reductions(n, x, v):
    z = 0.0
    sums = (
        sum(i for i in range(n) if i % 2),
        sum(i * j for i in range(n) for j in range(i) if (i + j) % 3),
        sum(y * y for y in v if y > 0),
        sum((i for i in range(n)), 10) + sum(v[i] for i in range(3)),
        math.prod(i for i in range(1, n) if i % 2),
        functools.reduce(lambda p, q: p * q, range(1, n), 1),
        functools.reduce(lambda p, q: p - q, (i * i for i in range(n))),
    )
    tests = (
        any(n % d == 0 for d in range(2, n)),
        all(n % d for d in range(2, int(math.sqrt(n)) + 1)),
        any((z := y) > 1 for y in v) and z > 1.5,
        not any(c == "7" for c in str(n)),
    )
    extremes = (
        max(halved(i) for i in range(n + 1)),
        min((i * x for i in range(1, n) if i > 2), default=-1.0),
        max(range(1, n + 1), key=lambda i: -((i - 3) ** 2)),
        max((i % 4, i) for i in range(n)),
        max(v) + max(abs(y) for y in v),
    )
    first = next((i for i in range(2, n + 1) if n % i == 0), -1)
    lengths = len([1 for i in range(n) if i * i < n]), len(list(filter(lambda i: i % 2, range(n))))
    lists = [halved(y) for y in (n, n + 1, 3)], [y for y in (1, 2, 3) if y != 2]
    digits = sum(int(c) for c in str(n)) + sum(map(int, str(n * 7)))
    return sums, tests, extremes, first, lengths, lists, digits, {k: halved(n + k) for k in (1, 2)}


def squared(k):
    return k * k


@pcbatch.autobatch
def loops(n, x, v):
    total, scale = 0, 0.0
    for square in map(squared, range(n)):
        if square > 60:
            break
        total += square
    else:
        total += 1000
    for k in filter(lambda k: k % 3, range(n)):
        if k == 4:
            continue
        total += 10 * k
    for a, b in ((i, i + j) for i in range(n) for j in range(2) if j < i):
        total += a * b
        if total > 5000:
            break
    for y in map(lambda p, q: p * q, v, (1, 2, 3, 4)):
        scale += y
    return total, scale, x


class Point(NamedTuple):
    """Two numbers."""

    x: Any
    y: Any


@pcbatch.autobatch
def cases(n, x, v):
    import functools as ft
    from math import gcd, prod

    match n % 5:
        case 0 | 1:
            a = 10
        case 2 if x > 0:
            a = 20
        case k:
            a = k * 100
    match (n, x):
        case (1, _):
            b = 1
        case (m, y) if m > 5 and y == x:
            b = m
        case [_, *rest]:
            b = len(rest) + int(rest[0])
    match x:
        case int():
            c = 1.0
        case float(z):
            c = 2.0 * z
    match Point(n, 3):
        case Point(x=7):
            d = 70
        case Point(q, 3):
            d = q
        case _:
            d = -1
    gone = n
    del gone
    gone = 3
    e = (
        gcd(n, 6)
        + prod(i for i in range(1, n) if i % 3)
        + ft.reduce(lambda p, q: p + q, range(n), 0)
    )
    order = (n % 3, x) < (1, 0.5), (n, 1) == (7, 1), (n, 1) != (7, 1, 0), [n, 2] >= [7, 1]
    return a, b, c, d, e, order, min([(n, 2), (3, n)]), gone


@pcbatch.autobatch
@functools.lru_cache(maxsize=None)  # noqa: UP033
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@pcbatch.autobatch
def memoized(n, x, v):
    @functools.cache
    def ways(k):
        if k <= 1:
            return 1
        return ways(k - 1) + ways(k - 2)

    return ways(n), fibonacci(n)


ARGS = (
    np.array([1, 2, 7, 12, 5], np.int32),
    np.array([2.5, 1.0, -0.5, 1e5, 12.25]),
    np.array([[1, -2, 3, 0], [0.5, 1, 1, 2], [-1, -2, 0, -3], [9, 8, 7, 6], [0, 0, 0, 0.25]]),
)


@pytest.mark.every(20)
@pytest.mark.parametrize("options", [STRATEGIES[0], STRATEGIES[1], STRATEGIES[3]], ids=str)
@pytest.mark.parametrize("function", [reductions, loops, cases, memoized], ids=lambda f: f.__name__)
def test_as_in_python(function, options):
    check(function, *ARGS, **options)


@pcbatch.autobatch
def captured(n, x, v):
    """Functions made in loops, in lists, and before what they read changes."""
    scaled = []
    for k in (1, 2, 3):
        scaled = [*scaled, lambda y: y * k, lambda y, k=k: y * k]
    factor = 2.0
    times = lambda y: y * factor  # noqa: E731
    before = times(x)
    for i in range(n):
        factor = factor + i
    for j in range(n):
        shifted = lambda y: y + j  # noqa: E731
        x = shifted(x)
    factor += 1
    return [g(x) for g in scaled], before, times(x), handed_on(n, times)


@pcbatch.autobatch
def handed_on(n, last):
    """Each call has a variable of its own, which its function sees."""
    step = n * 2
    own = lambda y: y + step  # noqa: E731
    step = n * 3
    if n > 0:
        return handed_on(n - 1, own) + last(1.0)
    return last(2.0) + own(1.0)


@pytest.mark.every(2)
@pytest.mark.parametrize("options", [STRATEGIES[0], STRATEGIES[1], STRATEGIES[3]], ids=str)
def test_nested_functions_see_variables_change(options):
    check(captured, *ARGS, **options)


def test_nothing_to_choose_from_stops_one_member():
    @pcbatch.autobatch
    def least(n):
        return min(i for i in range(n) if i > 2)

    result = least.run(np.array([5, 2]), strategy="local")
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True])
    with pytest.raises(pcbatch.MemberError, match=r"ValueError: min\(\)"):
        least.run(np.array([5, 2]), strategy="local", throw=True)


def test_the_first_of_none_stops_one_member():
    @pcbatch.autobatch
    def divisor(n):
        return next(i for i in range(2, n) if n % i == 0)

    result = divisor.run(np.array([9, 7]), strategy="local")
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True])
    assert int(result.value[0]) == 3


def test_many_rounds_are_a_loop():
    """Written down one by one they would take minutes to compile."""

    @pcbatch.autobatch
    def many(x):
        return sum(x * i % 7 for i in range(3000))

    program = many.lower(np.array([1, 2]))
    assert len(program.as_text().splitlines()) < 200
    check(many, np.array([1, 2]))


def test_a_variable_that_is_gone_cannot_be_read():
    @pcbatch.autobatch
    def f(x):
        y = x
        del x
        return x + y  # noqa: F821

    with pytest.raises(pcbatch.ProgramError, match="local variable 'x'"):
        f(np.array([1]))


def test_a_module_that_is_not_there():
    @pcbatch.autobatch
    def f(x):
        if x > 5:
            import no_such_module

            return no_such_module.f(x)
        return x

    result = f.run(np.array([1, 7]), strategy="local")
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True])


def test_names_of_comprehensions_are_their_own():
    @pcbatch.autobatch
    def f(i, n):
        total = sum(i for i in range(n) if i % 2)
        return total + i, [i + j for i in (1, 2) for j in (i, n) if i > 0]

    check(f, np.array([10, 20]), np.array([4, 7]))
    assert tf.nest.flatten(f.single(10, 4))[0] == 14


def of_pairs(n):
    points = [(k * 7 % 5, k * 3 % 4) for k in range(n + 2)]
    near = min(abs(a - c) + abs(b - d) for (a, b), (c, d) in itertools.combinations(points, 2))
    return (
        near, any(p[0] + q[0] == 4 for p, q in itertools.combinations(points, 2)),
        all(p < q for p, q in itertools.pairwise(points)),
        len({p[0] * q[1] for p, q in itertools.product(points, repeat=2)}),
        max(a * b for a, b in itertools.combinations([k * k % 7 for k in range(n + 2)], 2)),
    )  # fmt: skip


def test_pairs_of_a_list_of_the_member_may_come_in_any_order() -> None:
    check(of_pairs, ints(0, 1, 2, 5, 9), jit=False)
