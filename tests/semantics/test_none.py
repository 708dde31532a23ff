"""A variable that is None for some members, and a number for others."""

from __future__ import annotations

import functools
import math

import pytest

import pcbatch
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8)
FEES = {1: (2, 3), 2: (4, 5), 8: (1, 1)}


def smallest(n):
    best = where = None
    for k in range(n):
        x = k * 7 % 5
        if best is None or x < best:
            best, where = x, k
    return (-1, -1) if best is None or where is None else (best, where)


def spread(n):
    low, high = None, None
    for k in range(n):
        x = k * 7 % 5
        low = x if low is None else min(low, x)
        high = x if high is None else max(high, x)
    if low is None or high is None:
        return 0
    return high - low


def best_pair(n):
    best = None
    for k in range(n):
        if best is None or k % 3 >= best[0]:
            best = (k % 3, k)
    if best is not None:
        a, b = best
        return a + 10 * b
    return 0


def repeats(n):
    before, count = None, 0
    for k in range(n):
        count += k // 2 == before
        before = k // 2
    return count, before != None, before == 1  # noqa: E711


def find(xs, x):
    for i, y in enumerate(xs):
        if x == y:
            return i


def found(n):
    place = find([3, 1, 4, 1, 5], n)
    first = next((k for k in range(n) if k * k > 10), None)
    while place is None:
        place = -1 if first is None else first
    return place, first or -5, place if first and first > 3 else 0


def of_dicts(n):
    last = {}
    for k in range(n):
        last[k * 3 % 7] = k
    gone, there, fee = last.pop(3, None), last.get(n), FEES.get(n)
    code = -1 if gone is None else gone
    if fee is not None:
        first, second = fee
        code += 10 * first + second
    return code, -1 if there is None else abs(there), len(last)


def types(n):
    a, b = None, None
    if n > 2:
        a = n
    if n % 2:
        b = n
    pair = (a, 1)
    return (
        isinstance(a, int), isinstance(b, type(None)), a == b, a != b, a == 3, not a, bool(b),
        a in (None, 5), None in (b, 1), pair == (None, 1), pair[0] is None,
    )  # fmt: skip


def nested(n):
    a = n if n > 2 else None

    def twice():
        return -1 if a is None else 2 * a

    def highest(k, best):
        if k == 0:
            return best
        return highest(k - 1, k % 5 if best is None or k % 5 > best else best)

    found = highest(n, None)
    return twice(), -1 if found is None else found


def matched(n):
    a = n if n > 2 else None
    match a:
        case None:
            return -1
        case 3:
            return 33
        case k:
            return k + 1


def caught(n):
    a = 0.5 * n if n > 2 else None
    try:
        return a + 1
    except TypeError:
        return -5


def table_and_key(n):
    table, key = {k: k * k for k in range(n)}, None
    if n % 3:
        key = n // 2
    return table, key


def looked_for(n):
    """A dict has no key None, a list may have no element None."""
    table, key = table_and_key(n)
    keys, seen = list(table), set(table)
    was = key in seen, key in table, keys.count(key)
    seen.discard(key)
    return was, table.get(key, -1), table.pop(key, -3), len(table), len(seen)


def by_lambdas(n):
    xs = [k if k % 4 != 3 else None for k in range(n)]
    return functools.reduce(lambda acc, k: acc if k is None else acc * 11 + k, xs, 0)


SAME = (
    looked_for, by_lambdas,
    smallest, spread, best_pair, repeats, found, of_dicts, types, nested, matched, caught,
)  # fmt: skip


@pytest.mark.every(6)
@pytest.mark.parametrize("f", SAME)
def test_none_is_pythons(f):
    check(f, N, jit=False)


@pytest.mark.every(3)
@pytest.mark.parametrize("strategy", ["local", "hybrid", "loop"])
@pytest.mark.parametrize("f", [smallest, found])
def test_every_strategy_knows_none(f, strategy):
    check(shared(f), N, strategy=strategy)


def compared(n):
    a = n if n > 2 else None
    return a < 4


def compared_behind(n):
    a = n if n > 2 else None
    return 4.5 >= a


def added(n):
    a = n if n > 2 else None
    b = n if n % 2 else None
    return a + b


def negated(n):
    a = n if n > 2 else None
    return -a


def element(n):
    a = (n, n + 1) if n > 2 else None
    return a[1]


def unpacked(n):
    a = (n, n + 1) if n > 2 else None
    x, y = a
    return x * y


def an_index(n):
    a = n if n > 2 else None
    return [4, 5, 6, 7, 8, 9, 0, 1, 2][a]


def numbers_of_functions(n):
    a = n if n > 2 else None
    return max(a, 3), divmod(a, 2), math.gcd(a, 6), int(a), round(a)


def a_key(n):
    table, key = table_and_key(n)
    return table[key]


def a_deleted_key(n):
    table, key = table_and_key(n)
    del table[key]
    return len(table)


def a_place(n):
    table, key = table_and_key(n)
    return list(table).index(key)


def given_to_lambdas(n):
    """Each is a function of the program, which is found out when the program is written down."""
    xs = []
    for k in range(n):
        xs.append(None if k % 4 == 3 else k)
    first = functools.reduce(lambda acc, k: acc * 11 + k, xs, 0)
    return first, list(map(lambda k: k + 1, xs))  # noqa: C417


FAULTS = (
    a_key, a_deleted_key, a_place, given_to_lambdas,
    compared, compared_behind, added, negated, element, unpacked, an_index, numbers_of_functions,
)  # fmt: skip


@pytest.mark.parametrize("f", FAULTS)
def test_faults_are_pythons(f):
    check(f, N, jit=False)


def rounds(n):
    total = 0
    for k in range(n if n > 2 else None):
        total += k
    return total


def in_a_text(n):
    a = n if n > 2 else None
    return len(f"{a:>3}")


def in_a_set(n):
    a = n if n > 2 else None
    return a in {1, 2, None}


def its_type(n):
    a = n if n > 2 else None
    return type(a) is int


def a_dict(n):
    a = None
    if n > 2:
        a = {n: 1}
    return 0 if a is None else a[n]


def written_without_asking(n):
    a = None
    if n > 2:
        a = [n, 1]
    a[0] = 5
    return a


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (rounds, "a value that is None for some members is used"),
        (in_a_text, "is asked of a value of a member"),
        (in_a_set, "a value that is None for some members is used"),
        (its_type, "a value that is None for some members is used"),
        (a_dict, "`a` is None on one path and a dict on another"),
        (written_without_asking, "a value that is None for some members is used"),
    ],
)
def test_what_does_not_take_none_is_refused(f, said):
    with pytest.raises(pcbatch.ProgramError, match=said):
        pcbatch.autobatch(f).run(N, jit=False)


def a_dict_or_none(n):
    """What the message says of None beside a dict, followed."""
    a, found = {}, False
    if n > 2:
        a = {n: 1}
        found = True
    return a[n] if found else 0


def digits(n):
    """What it says of a function that returns None or a set, followed."""
    if n < 3:
        return set(), False
    found = {n % 3, n % 5}
    return found, True


def number_of_digits(n):
    seen, there = digits(n)
    return len(seen) if there else -1


@pytest.mark.every(2)
@pytest.mark.parametrize("function", [a_dict_or_none, number_of_digits])
def test_what_the_messages_say_works(function):
    check(function, N, jit=False)
