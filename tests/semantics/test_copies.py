"""`copy.copy` and `copy.deepcopy` of what a member has: Python's, or a refusal."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import of_member, shared

NUMBERS = np.array([1, 3, 4, 9])


@dataclasses.dataclass
class Point:
    x: float
    y: float


def of_a_dict(n):
    d = {"a": [1, 2], "b": n}
    e = copy.deepcopy(d)
    d["a"].append(n)
    d["b"] = 0
    return len(e["a"]) * 10 + len(d["a"]) + e["b"]


def of_rows_that_grow(n):
    xs = [[1, n], [2]]
    ys = copy.deepcopy(xs)
    xs[0].append(3)
    ys[1][0] = n
    return len(ys[0]) * 10 + len(xs[0]) + ys[1][0] - xs[1][0]


def of_a_grid_in_each_round(n):
    grid = [[0, n], [2, 3]]
    for t in range(n):
        new = copy.deepcopy(grid)
        for i in range(2):
            new[t % 2][i] = grid[i][0] + t
        grid = new
    return grid[0][1] * 10 + grid[1][1]


def of_an_object(n):
    p = Point(1.0, n)
    q, r = copy.deepcopy(p), copy.copy(p)
    q.x = 3.0
    r.y = 0.5
    return p.x + q.x + q.y + r.x + r.y


def of_numbers_and_arrays(n):
    pair = (1, [n, 2])
    other, same = copy.deepcopy(pair), copy.deepcopy(n)
    v = np.zeros(3) + n
    return other[1][0] + other[0] + same, (v + copy.copy(v) + copy.deepcopy(v)).sum()


def of_a_set(n):
    s = {n, 3}
    t = copy.deepcopy(s)
    s.add(100)
    return len(t) * 10 + len(s)


RIGHT = (
    of_a_dict, of_rows_that_grow, of_a_grid_in_each_round, of_an_object, of_numbers_and_arrays,
    of_a_set,
)  # fmt: skip


@pytest.mark.every(4)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("strategy", ["local", "pc"])
def test_copies_are_pythons(function, strategy) -> None:
    result = shared(function).run(NUMBERS, strategy=strategy, jit=False, throw=True)
    for k, n in enumerate(NUMBERS.tolist()):
        assert of_member(result.value, k) == function(n)


def a_row_that_is_there_twice(n):
    row = [n, 1]
    grid = [row, row]
    new = copy.deepcopy(grid)
    new[0][0] = 7
    return new[1][0]


def a_list_in_the_copy_of_a_dict(n):
    d = {"a": [1, n]}
    e = copy.deepcopy(d)
    e["a"].append(3)
    return len(e["a"])


class Box:
    def __init__(self, x):
        self.x = x


def a_list_of_objects_with_several_names(n):
    boxes = [Box(k) for k in range(3)]
    boxes[n % 3].x = 7
    other = copy.deepcopy(boxes)
    other[0].x = 100
    return boxes[0].x


def an_object_of_the_heap(n):
    boxes = [Box(k) for k in range(3)]
    boxes[n % 3].x = 7
    other = copy.deepcopy(boxes[n % 3])
    other.x = 100
    return boxes[n % 3].x


def a_dict_of_sets(n):
    table = {}
    for k in range(n):
        table[k] = {k}
    other = copy.deepcopy(table)
    other[0].add(5)
    return len(table[0])


@pytest.mark.parametrize(
    "function",
    [
        a_row_that_is_there_twice,
        a_list_in_the_copy_of_a_dict,
        a_list_of_objects_with_several_names,
        an_object_of_the_heap,
        a_dict_of_sets,
    ],
)
def test_what_is_not_known_of_a_copy_is_refused(function) -> None:
    with pytest.raises(ProgramError):
        pcbatch.autobatch(function).run(NUMBERS, strategy="local", jit=False)
