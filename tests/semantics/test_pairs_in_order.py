"""Pairs that are put in order, of numbers and texts, and slices whose bounds may be None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 3, 5])


def of_known_lengths(n):
    xs = [3, n, 5]
    ys = [1, 2, 3]
    return max(zip(xs, ys)), min(zip(ys, xs)), sorted(zip(xs, ys))


def of_lists_that_grow(n):
    xs = [k * 7 % 5 for k in range(n + 1)]
    ys = list(range(n + 1))
    return (
        max(zip(xs, ys)),
        min(zip(xs, ys)),
        sorted(zip(xs, ys))[0],
        sorted(zip(xs, ys), reverse=True)[0],
    )


def gone_over_in_order(n):
    xs = [k * 7 % 5 for k in range(n + 1)]
    ys = list(range(n + 1))
    out = []
    for x, y in sorted(zip(xs, ys), reverse=True):
        out.append(x * 10 + y)
    return out


def by_a_key(n):
    xs = [k * 7 % 5 for k in range(n + 1)]
    return sorted(enumerate(xs), key=lambda p: p[1])[0], max(enumerate(xs), key=lambda p: p[1])


def with_names(n):
    xs = [3, n, 5]
    names = ["bob", "al", "cy"]
    out = [name for _, name in sorted(zip(xs, names))]
    return out[0], out[-1]


def named_by_hand(n):
    scores = [(n, "al"), (4, "bob"), (2, "cy")]
    best = max(scores)
    worst = min(scores)
    scores.sort()
    return best[1], worst[1], scores[0][1]


def names_in_order(n):
    xs = [3, n, 5]
    names = ["bob", "al", "cy"]
    pairs = list(zip(xs, names))
    pairs.sort(reverse=True)
    top = max(zip(names, xs))
    return pairs[0][1], top[0], top[1], min(pairs)[1], [s for s, _ in sorted(zip(xs, names))]


def equal_numbers(n):
    pairs = [(n % 2, "b"), (0, "a"), (1, "a")]
    return sorted(pairs)[0][1], max(pairs)[1], min(pairs)[1]


def named_in_a_loop(n):
    pairs = []
    for k in range(n + 1):
        pairs.append((k * 3 % 4, "abcd"[k % 4]))
    return min(pairs)[1], max(pairs)


def bounds_that_may_be_none(n):
    xs = [1, 2, 3, 4, 5]
    stop = None
    if n % 2:
        stop = n
    return xs[:stop], xs[stop:], sum(xs[:stop])


def a_bound_that_is_looked_for(n):
    xs = list(range(n))
    cut = xs.index(3) if 3 in xs else None
    return xs[:cut], len(xs[cut:])


RIGHT = [
    of_known_lengths,
    of_lists_that_grow,
    gone_over_in_order,
    by_a_key,
    with_names,
    named_by_hand,
    names_in_order,
    equal_numbers,
    named_in_a_loop,
    bounds_that_may_be_none,
    a_bound_that_is_looked_for,
]


@pytest.mark.every(11)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_pairs_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(names_in_order, N, **options)
    check(of_lists_that_grow, N, **options)
