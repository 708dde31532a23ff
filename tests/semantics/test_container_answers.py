"""Containers of a member in the corners where they once gave another answer than Python's."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.support.members import of_member

XS = np.array([[3, 1, 2, 1], [4, 4, 5, 6], [1, 2, 1, 2], [0, 0, 0, 7]])
SMALL = np.array([-2, -1, 1, 5])
HUGE = np.array([2**32 + 1, -(2**32) - 1, 2**33 + 2, 2])


def check(function: Any, *args: Any) -> None:
    """Assert that each member has plain Python's value, or its exception and that at its line."""
    result = pcbatch.autobatch(function, jit=False).run(*args, strategy="local")
    for k, status in enumerate(result.status.numpy()):
        given = [x[k].item() if x.ndim == 1 else x[k].tolist() for x in args]
        try:
            expected = function(*given)
        except (IndexError, KeyError, ValueError, MemoryError) as error:
            fault = result.faults[int(status)]
            assert fault.message.partition(":")[0] == type(error).__name__, k
            assert fault.span.file == __file__
            continue
        assert status == 0, result.faults[int(status)]
        assert of_member(result.value, k) == expected, k


def best_of_a_heap(xs, n):
    big = [x for x in xs if x > 1]
    few = heapq.nsmallest(n, big) + heapq.nlargest(n, big)
    return few, heapq.nsmallest(n=2, iterable=xs), len(heapq.nlargest(-1, big))


def best_by_a_key(xs, n):
    return heapq.nsmallest(n, xs, key=lambda x: -x), heapq.nlargest(2, xs, key=lambda x: x % 3)


def pops_what_is_empty(xs, n):
    heap = [x for x in xs if x > 3]
    heapq.heapify(heap)
    return heapq.heapreplace(heap, 1) + heapq.heappop(heap)


def slices(xs, n):
    v = np.array(xs)
    return len(v[:n]), len(v[n:]), list(v[::n]), list(v[:3][::n]), xs[:n], xs[n:]


def element_of_a_part(xs, n):
    v = np.array(xs)
    return v[: n * 0 + 3][n]


def turns(xs, n):
    queue = deque()
    for x in xs[1:]:
        queue.append(x)
    queue.rotate(n)
    return list(queue)


def repeats(xs, n):
    return len([1, 2] * n)


HEAPS = [best_of_a_heap, best_by_a_key, pops_what_is_empty]
WIDE = [slices, element_of_a_part, turns, repeats]


@pytest.mark.every(4)
@pytest.mark.parametrize("function", HEAPS, ids=lambda f: f.__name__)
def test_heaps(function):
    check(function, XS, SMALL)


@pytest.mark.parametrize("function", WIDE, ids=lambda f: f.__name__)
def test_numbers_beyond_32_bits(function):
    check(function, XS, HUGE)


def kinds(xs, n):
    frozen, seen, v = frozenset(xs), set(xs), np.array(xs)
    table = {}
    table[n] = 1
    both, mixed = frozen | seen, seen | frozen
    return (
        isinstance(frozen, frozenset), isinstance(frozen, set), isinstance(seen, frozenset),
        isinstance(both, frozenset), isinstance(mixed, frozenset), both == mixed,
        isinstance(v[:n], list), isinstance(v[:n], np.ndarray), isinstance(table.keys(), list),
        isinstance(frozenset({1, 2}), frozenset), isinstance(table, dict),
    )  # fmt: skip


def frozen_is_replaced(xs, n):
    frozen = frozenset(xs)
    other = frozen
    frozen |= {99}
    return len(frozen), len(other)


def compared_sets(xs, n):
    seen, table = set(xs), {}
    table[n] = 1
    return (
        seen < {0, 1, 2}, seen <= {0, 1, 2, 3}, seen > {1}, {1} <= seen, {0, 7, 8} > seen,
        seen == {1, 2}, {1, 2} != seen, seen == [1], table.keys() == {n}, table.keys() <= {1, n},
        len(table.keys() | {50}), seen >= frozenset({1}), seen.issubset(range(5)),
        seen.issuperset([1, 1]), seen.isdisjoint((8, 9)), len(seen.union([1, 50], range(3))),
        {1, 2}.issubset(seen), len({1, 2}.union(seen)), len({1, 2}.intersection(xs)),
    )  # fmt: skip


def dicts_of_pairs(xs, n):
    table = {xs[0]: 1}
    table.update([(xs[1], 2), (xs[1], 3)])
    table.update()
    pairs = [(xs[2], 1), (xs[3], 2)]
    return len(table), table[xs[1]], list(dict(pairs).values())


def keys_of_other_kinds(xs, n):
    seen, some, table = set(xs), [x for x in xs if x], {xs[0]: 1}
    table[4] = 5
    mixed = set()
    mixed.add(xs[0] > 2)
    mixed.add(xs[1])
    return (
        "a" in seen, None in some, some.count("a"), "a" in table, table.get("a", 5), (1, 2) in seen,
        1.0 in seen, 0.5 in seen, True in seen, len(mixed), 1 in mixed, "a" in deque(xs),
    )  # fmt: skip


def deleted(xs, n):
    counts, odd = Counter(xs), {n: 1}
    del counts[1]
    odd[1] = 2
    del odd[n]
    queue = deque(xs)
    queue.append(8)
    del queue[1]
    return len(counts), len(odd), list(queue)


def deletes_what_is_not_there(xs, n):
    table = {n: 1}
    table[8] = 2
    del table[1]
    return len(table)


def places(xs, n):
    some, three, queue = list(xs), [xs[0], 5, n], deque(xs)
    some.append(2)
    queue.append(2)
    found = (1, 2, 3, 5, 2).index(2, -n), [4, 1, n].index(n, n - 5)
    return some.index(2, n - 1), some.index(2, n, 5), three.index(n, 2), queue.index(2, 1), found


def place_in_a_queue(xs, n):
    return deque(xs).index(1), deque(xs).count(1)


SETS = [
    kinds, frozen_is_replaced, compared_sets, dicts_of_pairs, keys_of_other_kinds, deleted,
    deletes_what_is_not_there, places, place_in_a_queue,
]  # fmt: skip


@pytest.mark.every(6)
@pytest.mark.parametrize("function", SETS, ids=lambda f: f.__name__)
def test_sets_and_dicts(function):
    check(function, XS, SMALL)


REFUSED = {
    "unsupported operand type.*: 'set' and 'list'": lambda xs: len(set(xs) | [1]),
    "'<' not supported between instances of 'set' and 'list'": lambda xs: set(xs) < [1],
    "unhashable type: 'list'": lambda xs: [1] in set(xs),
    "a dict of the member is given `a=`": lambda xs: len(dict([(xs[0], 1)], a=2)),
    "a Counter of the member is given `a=`": lambda xs: len(Counter(xs, a=2)),
    "`elements` of a Counter": lambda xs: sum(Counter(xs).elements()),
    "'frozenset' object has no attribute 'add'": lambda xs: frozenset(xs).add(1),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused_in_the_words_of_python(message):
    with pytest.raises(pcbatch.ProgramError, match=message) as caught:
        pcbatch.autobatch(REFUSED[message], jit=False)(XS)
    assert "Member" not in str(caught.value)


def refused_in_place(xs):
    seen = set(xs)
    seen |= [1]
    return len(seen)


def test_an_operator_in_place_takes_sets_only():
    with pytest.raises(pcbatch.ProgramError, match="'set' and 'list'"):
        pcbatch.autobatch(refused_in_place, jit=False)(XS)


def updated(x):
    table = {0.0: 1}
    table.update({x[0]: 1})
    return len(table)


NAN_KEYS = [
    lambda x: len(set(x)),
    lambda x: len(Counter(x)),
    lambda x: len(dict(list(zip(x, x)))),
    lambda x: len({x[0]: 1, x[1]: 2}),
    lambda x: len({x[0]} | {x[1]}),
    updated,
]


@pytest.mark.every(3)
@pytest.mark.parametrize("function", NAN_KEYS)
def test_a_key_that_is_nan_stops_the_member(function):
    xs = np.array([[0.5, 1.0], [np.nan, 2.0], [1.0, 1.0]])
    result = pcbatch.autobatch(function, jit=False).run(xs, strategy="local")
    status = result.status.numpy()
    assert (status != 0).tolist() == [False, True, False]
    assert "a key is NaN" in result.faults[int(status[1])].message
    assert [result.value.numpy()[k] for k in (0, 2)] == [function(xs[k]) for k in (0, 2)]


def test_what_is_missing_is_named():
    texts = {
        "KeyError: 1": lambda xs: {xs[0]: 1, xs[1]: 2}[1],
        "ValueError: 1 is not in list": lambda xs: [xs[0], xs[1]].index(1),
        "ValueError: 'a' is not in list": lambda xs: [x for x in xs if x].index("a"),
        "ValueError: 1 is not in deque": lambda xs: deque(xs).index(1),
    }
    for text, function in texts.items():
        result = pcbatch.autobatch(function, jit=False).run(XS, strategy="local")
        status = int(result.status.numpy()[3])
        assert result.faults[status].message == text
