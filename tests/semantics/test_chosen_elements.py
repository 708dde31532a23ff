"""Elements that a member's number chooses: they can be read, and writing to them is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import check, of_member

NUMBERS = np.array([0, 1, 2, -1])


@dataclasses.dataclass
class Box:
    x: float
    tag: int = 0

    def doubled(self):
        return 2.0 * self.x


def boxes(n):
    return [Box(1.0 * n), Box(n + 1.0, 3), Box(4.0 - n, n)]


def bump(box):
    box.x += 1.0


def put(row, value):
    row[0] = value


def push(row, value):
    row.append(value)


def drained(row):
    total = 0.0
    while row:
        total += row.pop()
    return total


def without_change(table):
    other = dict(table)
    other["x"] += 1.0
    return other["x"]


# --- Right ---------------------------------------------------------------------------------------


def attributes(n):
    some = boxes(n)
    return some[n].x + 10.0 * some[n].tag


def a_method(n):
    return boxes(n)[n].doubled()


def the_best(n):
    some, best = boxes(n), 0
    for i in range(1, 3):
        if some[i].x < some[best].x:
            best = i
    return some[best].x + best


def of_a_list_that_grows(n):
    some = []
    for i in range(n + 2):
        some.append(Box(1.0 * i, i + n))
    return some[n].x + some[n].tag


def objects_in_rows(n):
    rows = [boxes(n), boxes(n + 1), boxes(2 * n)]
    return rows[n][1].x + rows[1][n].x


def another_in_its_place(n):
    some = [Box(1.0 * n), Box(n + 1.0), Box(4.0 - n)]
    some[n] = Box(9.0)
    return some[0].x + 10.0 * some[1].x + 100.0 * some[2].x


def a_row_is_written_to(n):
    rows = [[1.0, 4.0], [2.0, 5.0], [3.0, 1.0 * n]]
    put(rows[n], 9.0)
    return rows[0][0] + 10.0 * rows[1][0] + 100.0 * rows[2][0]


def a_row_is_used_up(n):
    rows = [[1.0, 4.0], [2.0, 5.0], [3.0, 1.0 * n]]
    return drained(rows[n]) + 10.0 * len(rows[0]) + 100.0 * len(rows[1])


def a_row_grows(n):
    rows = [[1.0], [2.0], [3.0]]
    push(rows[n], 5.0)
    return len(rows[0]) + 10 * len(rows[1]) + 100 * len(rows[2])


def a_copy_is_changed(n):
    return without_change([{"x": 1.0 * n}, {"x": 2.0}, {"x": 3.0}][n])


RIGHT = (
    attributes, a_method, the_best, of_a_list_that_grows, objects_in_rows, another_in_its_place,
    a_row_is_written_to, a_row_is_used_up, a_row_grows, a_copy_is_changed,
)  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_as_python(function: Callable[[Any], Any]) -> None:
    result = pcbatch.autobatch(function).run(NUMBERS, jit=False, throw=True)
    for k, number in enumerate(NUMBERS.tolist()):
        assert of_member(result.value, k) == function(number)


# --- Changed where another name has it ----------------------------------------------------------


def an_attribute(n):
    some = boxes(n)
    some[n].x += 1.0
    return some[0].x


def through_a_name(n):
    some = boxes(n)
    box = some[n]
    some[1].x = 9.0
    return box.x


def by_a_helper(n):
    some = boxes(n)
    bump(some[n])
    return some[0].x


def a_dict_by_a_helper(n):
    some = [{0: 1.0 * n}, {0: 2.0}, {0: 3.0}]
    put(some[n], 9.0)
    return some[0][0]


def one_of_a_list_that_grows(n):
    some = []
    for i in range(3):
        some.append(Box(1.0 * i))
    bump(some[n])
    return some[0].x


def a_value_of_a_table(n):
    some = {0: Box(1.0 * n), 1: Box(2.0), 2: Box(3.0)}
    bump(some[abs(n)])
    return some[0].x


def a_row_in_an_element(n):
    some = [(n, [1.0]), (n, [2.0]), (n, [3.0])]
    put(some[n][1], 9.0)
    return some[0][1][0]


def what_a_helper_has_chosen(n):
    def chosen(some):
        return some[n]

    some = boxes(n)
    bump(chosen(some))
    return some[0].x


SEEN = (
    an_attribute, through_a_name, by_a_helper, one_of_a_list_that_grows, a_value_of_a_table,
    what_a_helper_has_chosen, a_dict_by_a_helper,
)  # fmt: skip


@pytest.mark.every(9)
@pytest.mark.parametrize("function", SEEN, ids=lambda f: f.__name__)
def test_a_change_of_an_object_is_seen(function: Callable[[Any], Any]) -> None:
    check(function, NUMBERS, jit=False)


def test_a_change_is_refused() -> None:
    with pytest.raises(ProgramError, match=r"may have the same one|is assigned|is changed"):
        pcbatch.autobatch(a_row_in_an_element).run(NUMBERS, jit=False)
