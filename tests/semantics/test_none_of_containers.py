"""Arrays, lists and dicts that are None for some members: in variables, and as results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints
from tests.support.members import check, shared

N = ints(0, 1, 2, 3, 5, 8, -1)


def appended_under_another_name(n):
    best, xs = None, [1, 2]
    if n > 1:
        best = xs
    xs.append(n)
    return best


def made_in_each_round(n):
    best = None
    for k in range(n):
        row = []
        for j in range(k % 4):
            row.append(j * k)
        if best is None or sum(row) > sum(best):
            best = row
    if best is not None:
        best.append(7)
    return best


def changed_after_it_is_chosen(n):
    best = None
    for k in range(n):
        row = []
        for j in range(k):
            row.append(j * k)
        if best is None or len(row) > len(best):
            best = row
        row.append(100)
    return best


def steps_to(total, target):
    if total == target:
        return [total]
    if total > target:
        return None
    for step in (3, 2):
        found = steps_to(total + step, target)
        if found is not None:
            return [total] + found
    return None


def found_by_a_recursion(n):
    return steps_to(0, n)


def one_of_two(n):
    a = b = None
    if n > 2:
        a = [1, n]
    if n > 1:
        b = [2, n]
    c = a if n % 2 else b
    if c is not None:
        c.append(5)
    return a, b, c


def begun_in_a_loop(n):
    memo = None
    for k in range(n):
        if memo is None:
            memo = [0]
        else:
            memo.append(k)
    return memo


def rows_of_lists(n):
    rows = None
    if n > 2:
        rows = [[] for _ in range(n)]
        rows[1].append(n)
    return rows


def of_four_lengths(n):
    if n < 0:
        return None
    if n == 0:
        return []
    if n == 1:
        return [1]
    return [n] * n


def without_asking(n):
    best = None
    if n > 2:
        best = [1, n]
    return best[0]


def appended_without_asking(n):
    best = None
    if n > 2:
        best = [1, n]
    best.append(3)
    return best


def compared(n):
    best = None
    if n > 2:
        best = [1, n]
    return best == [1, 3]


def a_dict_of_numbers(n):
    if n < 0:
        return None
    return {1: n, 2: [n, 1]}


def three_kinds_of_result(n):
    if n < 0:
        return None
    if n > 5:
        return None, 3
    return n, 4


def all_are_none(n):
    if n > 100:
        return 1
    return None


def some_raise(n):
    if n < 3:
        return None
    if n == 5:
        raise ValueError("no five")
    return n, [n]


RIGHT = (
    appended_under_another_name, made_in_each_round, changed_after_it_is_chosen,
    found_by_a_recursion, one_of_two, begun_in_a_loop, rows_of_lists, of_four_lengths,
    without_asking, appended_without_asking, compared, a_dict_of_numbers, three_kinds_of_result,
    all_are_none, some_raise,
)  # fmt: skip


@pytest.mark.every(6)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{}, {"strategy": "loop"}, {"strategy": "hybrid"}], ids=str)
def test_they_are_pythons_in_other_ways(how: dict[str, Any]) -> None:
    check(shared(made_in_each_round), N, **how)


def best_array(n):
    best = None
    for k in range(n):
        v = np.array([k * 7 % 5, k])
        if best is None or v[0] > best[0]:
            best = v
    return best


def array_of_zeros_or_none(n):
    return None if n < 0 else np.zeros((2, 2)) + n


SHIFTS = {1: np.array([1, 2]), 5: np.array([3, 4])}


def array_of_a_key(n):
    shift = SHIFTS.get(n)
    return None if shift is None else shift + n


@pytest.mark.parametrize("function", [best_array, array_of_zeros_or_none, array_of_a_key])
def test_arrays_are_numpys(function: Callable[[Any], Any]) -> None:
    found = [function(n) for n in N.tolist()]
    truths = [None if x is None else x.tolist() for x in found]
    check(function, N, truths=truths, jit=False)


def compared_with_none(n):
    best = np.array([n, 1]) if n > 2 else None
    return best == None  # noqa: E711


def two_compared(n):
    best = np.array([n, 1]) if n > 2 else None
    other = np.array([n, 1]) if n > 1 else None
    return best == other


doubled = pcbatch.batched(lambda x: x * 2)


def given_to_a_function_of_the_batch(n):
    best = n if n > 2 else None
    return doubled(best)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (compared_with_none, "a value that is None for some members is used"),
        (two_compared, "a value that is None for some members is used"),
        (given_to_a_function_of_the_batch, "`best` is None for some members"),
    ],
)
def test_what_none_has_no_place_in_is_refused(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        pcbatch.autobatch(function).run(N, jit=False)


def added_to_what_it_may_be(n):
    v, best = np.array([n, n + 1]), None
    if n > 2:
        best = v
    if best is not None:
        best += 1
    return v[0], best


def added_to_what_may_be_it(n):
    v, best = np.array([n, n + 1]), None
    if n > 2:
        best = v
    v += 1
    return best


def added_to_what_lies_behind(n):
    """The array is another leaf of the tuple where the number before it may be None."""
    t = None, np.array([1, n])
    if n > 2:
        t = 3, np.array([5, n])
    v = t[1]
    v += 1
    return t


def added_to_what_a_call_returns(n):
    def chosen(v):
        if n > 2:
            return v
        return None

    v = np.array([n, 1])
    same = chosen(v)
    v += 1
    return same


@pytest.mark.parametrize(
    ("function", "other"),
    [
        (added_to_what_it_may_be, "v"),
        (added_to_what_may_be_it, "best"),
        (added_to_what_lies_behind, "t"),
        (added_to_what_a_call_returns, "same"),
    ],
)
def test_a_change_that_another_name_would_see_is_refused(
    function: Callable[[Any], Any], other: str
) -> None:
    with pytest.raises(ProgramError, match=f"`{other}` may be the same array"):
        pcbatch.autobatch(function).run(N, jit=False)
