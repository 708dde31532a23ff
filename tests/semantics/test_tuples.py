"""Tuples of a length per member are tuples, not lists."""

from __future__ import annotations

from collections import deque

import pytest

import pcbatch
from tests.conformance.programs.record import ints
from tests.support.members import check

PRIMES = (2, 3, 5, 7)
N = (0, 1, 2, 3, 5)


def types(n):
    t = PRIMES[:n]
    own = (n, n + 1)[: n - 1]
    return isinstance(t, tuple), isinstance(t, list), type(t) is tuple, isinstance(own, tuple)


def equalities(n):
    t = PRIMES[:n]
    return t == (2, 3), [2, 3] == t, t != (2, 3), (2, 3) == t, t + PRIMES[n:] == PRIMES


def operators(n):
    t = PRIMES[:n]
    t += (n,)
    twice = t * 2
    return sum(twice), len(twice), isinstance(twice[::-1], tuple), t.count(3), bool(t), 5 in t


def lists_of(n):
    t = PRIMES[:n]
    xs = list(t)
    xs.append(n)
    return xs, isinstance(xs, list), isinstance(sorted(t), list), tuple(t) == t


def recurses(n):
    def last(t, seen):
        if len(t) == 0:
            return seen, isinstance(t, tuple)
        return last(t[1:], seen * 10 + t[0])

    return last(PRIMES[:n], 0)


def places(n):
    return range(3, 19, 3)[n], range(10**12, 0, -7)[-1 - n], range(9)[n] * 2**31


def made_of_others(n):
    squares = tuple(k * k for k in range(n))
    odd = tuple(k for k in range(n) if k % 2)
    again = (n, 1) * n
    return sum(squares), odd == (1, 3), isinstance(odd, tuple), len(again), again[:2] == (n, 1)


def ordered(n):
    t, xs = PRIMES[:n], [n, 3, n][:n]
    pairs = [(1, n), (n, 2)][:n]
    return (
        t < (2, 4), t <= (2, 3), (2, 3) > t, t >= PRIMES, xs < [2, 3], xs >= [3], xs <= xs,
        pairs < [(1, 2)], pairs > [(1, 2), (2, 2)],
    )  # fmt: skip


def unpacks(n):
    a, b = PRIMES[:n]
    return a + 10 * b


def unpacks_the_rest(n):
    first, *rest, last = [k * k for k in range(n)]
    return first, sum(rest), last


def matched(n):
    found = 0
    for items in ((1, 2, 3)[:n], (4, 5, 6)[n:]):
        match items:
            case (a,):
                found += a
            case (a, b):
                found += 10 * a + b
            case [a, *rest]:
                found += 100 * a + sum(rest)
    match [1, 2, 3][:n]:
        case [a, b]:
            found += 1000 * b
    return found


def matched_queue(n):
    queue = deque(k * k for k in range(n))
    match queue:
        case [a, b]:
            return a + 10 * b
        case [*rest, a]:
            return a + 100 * len(rest)
    return -1


def grows(n):
    sums, pairs, again = (), ((0, 0),), (n, 1)
    for k in range(n):
        sums += (k,)
        x, y = pairs[-1]
        pairs = (*pairs, (x + k % 2, y + 1))
        again = again[1:] + (again[0] + k,)
    before = sums
    sums = (9, *sums) if n > 1 else sums * 3
    return len(before), sum(sums), pairs[-1], again[0], before == (0, 1), isinstance(sums, tuple)


def grows_in_a_tuple(n):
    state = ((), 0)
    while state[1] < n:
        state = ((*state[0], state[1] % 3), state[1] + 1)
    return state[0], state[0] < (0, 1), state[1]


def grows_in_a_recursion(n):
    def down(k, seen=()):
        return (len(seen), sum(seen)) if k == 0 else down(k - 1, (*seen, k * k))

    return down(n)


def one_of_two_lengths(n):
    t = (1, 2) if n > 2 else (1, 2, 3)
    a, b = t
    return a + b


def keeps_its_elements(n):
    """A loop of known rounds is unrolled, so that the elements may be of several types."""
    t = ()
    for k in range(3):
        t += (k * n, 0.5 * k)
    return t[2], t[-1]


def beyond_it(n):
    return PRIMES[:n][1]


def not_in_it(n):
    return PRIMES[:n].index(3)


SAME = (
    types, equalities, operators, lists_of, recurses, matched, matched_queue, made_of_others,
    ordered, places, grows, grows_in_a_recursion, keeps_its_elements,
)  # fmt: skip


@pytest.mark.every(6)
@pytest.mark.parametrize("f", SAME)
def test_a_slice_of_a_tuple_is_a_tuple(f):
    check(f, ints(*N), jit=False)


@pytest.mark.every(2)
@pytest.mark.parametrize("f", [beyond_it, not_in_it, unpacks, unpacks_the_rest, one_of_two_lengths])
def test_faults_are_pythons(f):
    check(f, ints(*N), jit=False)


def appends(n):
    t = PRIMES[:n]
    t.append(3)
    return len(t)


def copies(n):
    return len(PRIMES[:n].copy())


def adds_a_list(n):
    return len(PRIMES[:n] + [n])


def stores(n):
    t = PRIMES[: n + 1]
    t[0] = 4
    return len(t)


def is_one_of_two(n):
    t = PRIMES[:n] if n > 1 else [2, 3]
    return isinstance(t, tuple)


def test_a_tuple_in_a_tuple_grows():
    truths = [((0, 1, 2)[:n], n < 2, n) for n in N[:4]]
    lists = [(list(t), *rest) for t, *rest in truths]
    check(grows_in_a_tuple, ints(*N[:4]), truths=lists, jit=False)


def holds_lists(n):
    t = ()
    for k in range(n):
        t += ([k],)
    return len(t)


def is_put_into_a_list(n):
    rows = []
    for k in range(n):
        rows.append(tuple(range(k)))
    return rows == [(), (0,)]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("f", "said"),
    [
        (appends, "'tuple' object has no attribute 'append'"),
        (copies, "'tuple' object has no attribute 'copy'"),
        (adds_a_list, r"unsupported operand type\(s\) for \+: 'tuple' and 'list'"),
        (stores, "an element of the tuple `t` is assigned"),
        (is_one_of_two, "`t` has two types"),
        (holds_lists, "`t` has two types"),
        (is_put_into_a_list, "this value does not fit into the list"),
    ],
)
def test_what_python_has_not_of_tuples_is_refused(f, said):
    with pytest.raises(pcbatch.ProgramError, match=said):
        pcbatch.autobatch(f).run(ints(*N), jit=False)
