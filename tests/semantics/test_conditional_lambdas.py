"""Conditions in lambdas that are handed over: members go both ways, and each has its own."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import floats, ints
from tests.support.members import check

N = ints(0, 1, 2, 3, 5, 9)


def are_keys(n):
    xs = [n, 3, 5, n % 4]
    pairs = [(n, 1), (2, 3), (n % 3, 5)]
    first = sorted(xs, key=lambda v: 0 if v > 3 else 1), max(xs, key=lambda v: v if v < 5 else 0)
    last = min(xs, key=lambda v: abs(v - 4) or 9), sorted(xs, key=lambda v: (v > 3 and v < 9, v))
    return first, last, sorted(pairs, key=lambda p: -p[1] if p[0] > 2 else p[1])[0][1]


def are_mapped(n):
    told = list(map(lambda v: 1 if v > 2 else 2 if v else 3, [n, 3, 0]))  # noqa: C417
    told.append(sum(map(lambda v: v if v > 0 else -v, [n - 4, n, 3])))  # noqa: C417
    told.append(reduce(lambda a, b: a if a > b else b, [n, 3, 5, n % 4]))
    told.append(reduce(lambda a, b: (a and b) or 7, [n, 3, n % 2]))
    return told, list(map(lambda v: 0 < v <= 3 != n, [n, 3, 5]))  # noqa: C417


def are_filters(n):
    xs = [n, 1, 5, n % 3]
    kept = list(filter(lambda v: v > 2 if n > 3 else v < 4, xs))
    return kept, len(list(filter(lambda v: not (v and v > 1) or v == n, xs)))


def see_texts_and_none(n):
    words = ["a" * n, "bbb", "c"]
    values = [n if n % 2 else None, 4]
    first = sorted(words, key=lambda s: (len(s) if s else 99, s))[0]
    return first, sum(map(lambda v: 1 if v is None else v + 1, values))  # noqa: C417


def divide_where_they_can(n):
    xs = [n, n - 1, n - 2]
    told = list(map(lambda v: 12 // v if v else -1, xs))  # noqa: C417
    told += map(lambda v: v and 6 % v, xs)  # noqa: C417
    return told, max(xs, key=lambda v: 0 if v == 0 or 7 // v > 2 else v)


def are_keys_that_divide(n):
    pairs = [(n, n % 3), (2, 3), (n % 4, 0)]
    first = min(pairs, key=lambda p: p[0] / p[1] if p[1] else 99.0)
    order = sorted(pairs, key=lambda p: (math.sqrt(p[0]) / p[1] if p[1] > 1 else 0.5, p))
    pairs.sort(key=lambda p: 1 / p[1] if p[1] else 0.0)
    return first, order[0], max(n, 4, key=lambda v: 1 / (v - 3) if v != 3 else 0.1), pairs[1][0]


def divide_where_they_cannot(n):
    return list(map(lambda v: 12 // v if v != 3 else -1, [n, n + 1, 3]))  # noqa: C417


ALIKE = (
    are_keys, are_keys_that_divide, are_mapped, are_filters, see_texts_and_none,
    divide_where_they_can,    divide_where_they_cannot,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_lambdas_decide_for_each_member(program):
    check(program, N)


def test_slopes_of_the_way_that_is_not_gone_are_not_seen():
    """The derivative of a root is infinite at zero: such a lambda is not evaluated both ways."""

    def program(x):
        return sum(map(lambda v: v * v if v < 2 else 3 * v, [x, x + 1]))  # noqa: C417

    def with_root(x):
        return sum(map(lambda v: tf.sqrt(v) if v > 0 else v, [x, x]))  # noqa: C417

    slopes = pcbatch.grad(program)(floats(0.5, 1.5, 3.0))
    np.testing.assert_array_equal(slopes, [4.0, 6.0, 6.0])
    with pytest.raises(ProgramError, match="decides with Python"):
        pcbatch.autobatch(with_root).run(floats(0.0, 4.0))


def test_ways_that_give_different_things_are_refused():
    def program(n):
        return list(map(lambda v: [1] if v else (1, 2), [n, 3]))  # noqa: C417

    with pytest.raises(ProgramError, match="decides with Python"):
        pcbatch.autobatch(program).run(N)


def test_a_lambda_that_calls_itself_is_refused():
    def program(n):
        fact = lambda k: 1 if k < 2 else k * fact(k - 1)  # noqa: E731
        return list(map(fact, [n, 3]))

    with pytest.raises(ProgramError, match="decides with Python"):
        pcbatch.autobatch(program).run(N)
