"""An `OrderedDict` of one member is Python's for each member."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 8)


def least_recently_used(n):
    cache, hits = OrderedDict(), 0
    for i in range(12):
        k = (i * n + i // 3) % 5
        if k in cache:
            hits += 1
            cache.move_to_end(k)
        else:
            cache[k] = i
            if len(cache) > 3:
                cache.popitem(last=False)
    return hits, list(cache), list(cache.values())


class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.data = OrderedDict()

    def get(self, key):
        if key not in self.data:
            return -1
        self.data.move_to_end(key)
        return self.data[key]

    def put(self, key, value):
        if key in self.data:
            self.data.move_to_end(key)
        self.data[key] = value
        if len(self.data) > self.capacity:
            self.data.popitem(last=False)


def is_an_attribute(n):
    cache = Cache(2)
    cache.put(1, 1)
    cache.put(2, n)
    first = cache.get(1)
    cache.put(3, 3)
    second = cache.get(2)
    cache.put(n, 4)
    return first, second, cache.get(1), cache.get(3), cache.get(n)


def either_end(n):
    d = OrderedDict()
    for i in range(5):
        d[i * 3 % 5] = i
    d.move_to_end(n % 5, last=n % 2 == 0)
    order = list(d)
    d.move_to_end(0, last=False)
    k, v = d.popitem()
    return order, k, v, len(d), next(iter(d))


def compares_in_order(n):
    a, b, c = OrderedDict([(-1, 2), (n, 4)]), OrderedDict([(n, 4), (-1, 2)]), {n: 4, -1: 2}
    return a == b, a == c, c == a, a != b, b == OrderedDict([(n, 4), (-1, 2)])


def is_made_and_copied(n):
    d = OrderedDict.fromkeys([n, n % 3, 7], 0)
    d[n] += 5
    d |= {3: 4, n: 2}
    d.move_to_end(n)
    e = d.copy()
    e.move_to_end(7)
    distinct = list(OrderedDict.fromkeys([(i * n) % 5 for i in range(9)]))
    return list(d), list(e), distinct, isinstance(d, dict), isinstance(e, OrderedDict)


def has_names(n):
    d = OrderedDict(b=n, a=2 * n)
    d["c"] = 3 * n
    d.move_to_end("b")
    return list(d), list(d.values()), d.popitem()


def in_recursion(n):
    memo = OrderedDict()

    def fib(k):
        if k < 2:
            return k
        if k in memo:
            memo.move_to_end(k)
            return memo[k]
        memo[k] = found = fib(k - 1) + fib(k - 2)
        while len(memo) > 4:
            memo.popitem(last=False)
        return found

    return fib(n), list(memo)


def of_texts(n):
    cache, missed = OrderedDict(), []
    for word in "the cat the dog a cat the end".split():
        if word in cache:
            cache.move_to_end(word)
        else:
            if len(cache) >= 1 + n % 3:
                cache.popitem(last=False)
            cache[word] = True
            missed.append(len(word))
    return missed, len(cache)


ALIKE = (
    least_recently_used, is_an_attribute, either_end, compares_in_order, is_made_and_copied,
    has_names, in_recursion, of_texts,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_ordered_dicts_are_pythons(program):
    check(program, N)


def nothing_is_left(n):
    d = OrderedDict()
    for i in range(n % 3):
        d[i] = i
    return d.popitem(last=False)[0]


def is_not_there(n):
    d = OrderedDict()
    for i in range(n % 4):
        d[i] = i
    d.move_to_end(2)
    return len(d)


@pytest.mark.parametrize("program", [nothing_is_left, is_not_there], ids=lambda p: p.__name__)
def test_what_python_raises(program):
    check(program, N)


def test_a_dict_has_no_end_to_move_to():
    def program(n):
        d = {}
        d[n] = 1
        d.move_to_end(n)
        return len(d)

    with pytest.raises(ProgramError, match="'dict' object has no attribute 'move_to_end'"):
        pcbatch.autobatch(program).run(N)
