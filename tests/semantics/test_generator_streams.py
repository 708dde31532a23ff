"""`itertools`, `zip` and `enumerate` over calls of generator functions, also without an end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.arange(9)


def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def primes():
    found = []
    k = 2
    while True:
        if all(k % p for p in found):
            found.append(k)
            yield k
        k += 1


def squares(n):
    k = 0
    while k < n:
        yield k * k
        k += 1


def pairs(n):
    for k in range(n):
        yield k
        yield -k


def of_a_comprehension(n):
    xs = [k * k for k in range(n)]
    for x in xs:
        yield x + len(xs)


def loop_over_islice(n):
    total = 0
    for x in itertools.islice(fib(), n):
        if x == 3:
            continue
        total += x
    else:
        total += 1000
    return total


def left_early(n):
    total = 0
    for x in islice(primes(), 10):
        if x > n:
            break
        total += x
    else:
        total += 1000
    return total


def sum_of_islice(n):
    return sum(islice(fib(), n)), sum(islice(primes(), n))


def list_of_islice(n):
    return list(islice(primes(), n))


def element(n):
    return next(islice(primes(), n, None))


def start_and_step(n):
    return [x + 1 for x in islice(fib(), 2, n + 2)], sum(islice(fib(), 1, n, 2))


def start_behind_the_stop(n):
    return sum(islice(squares(5), n, 3)), sum(islice(squares(5), 3, n))


def bounds_that_are_wrong(n):
    return sum(islice(fib(), n - 3)), sum(islice(fib(), 0, 5, n - 1))


def taken(n):
    calls = []

    def gen():
        k = 0
        while True:
            calls.append(k)
            yield k
            k += 1

    s = sum(islice(gen(), n))
    t = sum(islice(gen(), 0, n, 3))
    t += sum(islice(gen(), n, 2))
    return s, t, len(calls)


def taken_until(n):
    return list(takewhile(lambda x: x < 10 * n, fib()))


def taken_until_in_a_loop(n):
    out = []
    for x in takewhile(lambda p: p * p <= 10 * n, primes()):
        out.append(x)
    return out


def dropped(n):
    total = 0
    for x in itertools.dropwhile(lambda v: v < n, fib()):
        total += x
        if total > 50:
            break
    return total, list(itertools.dropwhile(lambda x: x < 5, squares(n)))


def not_filtered(n):
    return list(itertools.filterfalse(lambda x: x % 2, squares(n)))


def zipped(n):
    xs = [3, n, 5]
    first = [a * b for a, b in zip(fib(), xs)]
    total = 0
    for x, k in zip(squares(5), range(n)):
        total = total * 3 + x + k
    for k, x, y in zip(range(n), fib(), [4, 5, 6, 7]):
        total += k * x - y
    return first, total


def zip_asks_in_order(n):
    calls = []

    def gen():
        k = 0
        while k < 5:
            calls.append(k)
            yield k
            k += 1

    for _ in zip(range(n), gen()):
        pass
    before = len(calls)
    for _ in zip(gen(), range(n)):
        pass
    return before, len(calls)


def counted(n):
    total = 0
    for i, x in enumerate(pairs(n)):
        total += i * x
    for i, x in enumerate(islice(fib(), n), 1):
        total += i * x
    for i, (x, k) in enumerate(zip(fib(), range(n))):
        total += i * x - k
    return total


def one_in_another(n):
    total = sum(islice(filter(lambda x: x % 3, fib()), n))
    return total + sum(map(abs, islice(takewhile(lambda p: p < 30, primes()), n)))


def chained(n):
    return list(itertools.chain(squares(n), islice(fib(), 3)))


def decided(n):
    return any(x == n for x in islice(primes(), 4)), max(takewhile(lambda x: x <= n, squares(5)))


def of_comprehensions(n):
    return sum(of_a_comprehension(n))


def first_of_a_kind(n):
    return next(x for x in primes() if x % 4 == 3 and x > n)


@pcbatch.autobatch
def halves(n):
    while True:
        yield n
        n //= 2


def of_an_autobatched_one(n):
    return sum(islice(halves(n), 3)), next(halves(n))


FUNCTIONS = [
    loop_over_islice, left_early, sum_of_islice, list_of_islice, element, start_and_step,
    start_behind_the_stop, bounds_that_are_wrong, taken, taken_until, taken_until_in_a_loop,
    dropped, not_filtered, zipped, zip_asks_in_order, counted, one_in_another, chained, decided,
    of_comprehensions, first_of_a_kind, of_an_autobatched_one,
]  # fmt: skip


@pytest.mark.every(16)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_members_take_what_python_takes(f: Callable[..., Any]) -> None:
    check(f, N, strategy="pc", jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
@pytest.mark.parametrize("f", [loop_over_islice, element, taken, zipped, counted])
def test_with_every_strategy(f: Callable[..., Any], options: dict[str, Any]) -> None:
    check(f, N, **options)
