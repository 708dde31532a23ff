"""Generator functions that a loop, a comprehension or a builtin goes over."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, -1)
SCALE = 3


def up(n):
    k = 0
    while k < n:
        yield k * SCALE
        k += 1


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def collatz(n):
    yield n
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        yield n


def primes():
    yield 2
    found = [2]
    k = 3
    while True:
        prime = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                prime = False
                break
        if prime:
            found.append(k)
            yield k
        k += 2


def pairs(xs):
    for i in range(len(xs)):
        for j in range(i):
            yield xs[i], xs[j]


def chained(n):
    yield from range(n)
    yield -1
    yield from up(2)


def stepped(n, step=2):
    k = 0
    while k < n:
        yield k
        k += step


def failing(n):
    for k in range(n):
        if k == 4:
            raise ValueError("four")
        yield k


def vectors(n):
    v = np.zeros(2)
    while v[0] < n:
        v = v + np.array([1.0, 2.0])
        yield v


def nones(n):
    while n > 0:
        yield None if n % 2 else n
        n -= 1


def loop_with_else(n):
    total = 0
    for x in up(n):
        if x > 12:
            break
        total += x
    else:
        total += 100
    return total


def builtins_of_it(n):
    return (
        sum(x * 2 for x in up(n)), list(up(n)), max(collatz(n)), sum(1 for _ in collatz(n)),
        any(x > 5 for x in up(n)), sorted(collatz(n)), len(set(collatz(n))),
        list(map(abs, up(n))), list(filter(lambda x: x % 2, up(n))),
    )  # fmt: skip


def without_end(n):
    first = next(x for x in fibonacci() if x > n)
    total = sum(itertools.takewhile(lambda x: x < n, fibonacci()))
    for x in fibonacci():
        if x > n * 10:
            return first, total, x


def list_of_its_own(n):
    out = []
    for p in primes():
        if p > n:
            break
        out.append(p)
    return out


def one_in_another(n):
    total = 0
    for x in collatz(n):
        for y in up(x % 4):
            if y == 3:
                continue
            if y == 6:
                break
            total += x * y
        if x == 4:
            continue
        total += 1
    return total


def nested(n):
    seen = []

    def visit(m):
        while m > 0:
            if m == n - 1:
                return
            seen.append(m)
            yield m
            m //= 2

    total = 0
    for x in visit(n):
        total += x + len(seen)
        if total > 12:
            break
    return total, seen


def of_a_list(n):
    xs = [k * 7 % 5 for k in range(n)]
    return sum(1 for a, b in pairs(xs) if a > b), [a * b for a, b in pairs(xs)]


def several(n):
    return list(chained(n)), sum(stepped(n)), sum(stepped(n, step=3)), sum(stepped(step=1, n=n))


def caught_outside(n):
    try:
        for x in up(n):
            n += 10 // (x - 6)
    except ZeroDivisionError:
        return -n
    return n


def counted(n):
    total = 0
    for i, x in enumerate(up(n), 5):
        total += i * x
    for i, (a, b) in enumerate(pairs([1, n, 3])):
        total += i * a - b
    return total, [i + x for i, x in enumerate(collatz(n))]


def functions_in_the_body(n):
    found = []
    for x in collatz(n % 3):

        def moved(y):
            return x + y

        found.append(moved(n))
    return found


def of_arrays(n):
    total = np.zeros(2)
    for v in vectors(n):
        total = total + v
    return total[0], total[1]


def with_none(n):
    total = 0
    for x in nones(n):
        if x is not None:
            total += x
    return total


def raises(n):
    return sum(failing(n))


def nothing_for_next(n):
    return next(failing(n), None), [x for x in up(n)]  # noqa: C416


def assigned_in_a_branch(n):
    if n > 2:
        k = 1
    yield k


def may_be_unbound(n):
    return sum(assigned_in_a_branch(n))


RIGHT = (
    loop_with_else, builtins_of_it, without_end, list_of_its_own, one_in_another, nested,
    of_a_list, several, caught_outside, counted, functions_in_the_body, of_arrays, with_none,
    raises, nothing_for_next, may_be_unbound,
)  # fmt: skip


@pytest.mark.every(5)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_generators_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.parametrize("how", [{}, {"strategy": "local"}, {"strategy": "loop"}], ids=str)
def test_generators_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(one_in_another), N, **how)


def test_a_global_that_a_generator_reads_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    f = pcbatch.autobatch(jit=False)(loop_with_else)
    before = f(N).numpy().tolist()
    monkeypatch.setitem(globals(), "SCALE", 2)
    assert f(N).numpy().tolist() == [loop_with_else(n) for n in N.tolist()] != before


def unpacked(n):
    return [*up(n)]


def its_length(n):
    return len(up(n))


def echo(n):
    while n > 0:
        got = yield n
        n -= 1 if got is None else got


def sent(n):
    return sum(echo(n))


def guarded(n):
    try:
        while n > 0:
            yield n
            n -= 1
    finally:
        n = 0


def left_in_a_try(n):
    return sum(guarded(n))


class Settings:
    scale = 2


SETTINGS = Settings()


def of_an_attribute(n):
    while n > 0:
        yield n * SETTINGS.scale
        n -= 1


def reads_an_attribute(n):
    return sum(of_an_attribute(n))


def hides_what_it_reads(n):
    SCALE = n
    return sum(up(n)) + SCALE


LISTS = (unpacked, left_in_a_try, reads_an_attribute, hides_what_it_reads)


@pytest.mark.parametrize("function", LISTS, ids=lambda f: f.__name__)
def test_what_cannot_be_a_loop_may_be_a_list(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (its_length, r"object of type 'generator' has no len\(\)"),
        (sent, "cannot stand in the place of a loop"),
    ],
)
def test_what_cannot_be_a_loop_is_refused(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(function).run(N, jit=False)


def gathered(n, found):
    """What the message says of a recursion, followed."""
    if n > 0:
        gathered(n - 1, found)
        found.append(n)


def of_a_recursion(n):
    found = []
    gathered(n, found)
    return sum(found), found


def test_what_the_message_says_works() -> None:
    check(of_a_recursion, N, jit=False)
