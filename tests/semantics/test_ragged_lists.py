"""Lists of lists, and dicts of lists, of different lengths: a member's number chooses one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 5])
GRAPH = [[1, 2], [2], [0, 1, 2], []]


def read(n):
    rows = [[1], [2, 3], [], [n] * 3]
    row = rows[n % 4]
    triangle = [[(n + j) % 7 for j in range(i + 1)] for i in range(4)]
    pairs = [[(j, j * n) for j in range(i + 1)] for i in range(3)]
    total = 0
    for a, b in pairs[n % 3]:
        total += a + b
    return len(row), sum(row), triangle[n % 4][-1], total, rows[-1 - n % 2] == [n] * 3


def of_texts(n):
    words = [["a", "b"], ["c"]]
    return words[n % 2][0], len(words[n % 2]), sum(([1.5], [2.0, n + 0.5], [])[n % 3])


def changed(n):
    """Lists that are changed are one list, by whatever name."""
    rows = [[1], [2, 3], [n]]
    rows[n % 3].append(7)
    row = rows[n % 2]
    row.append(n)
    before = rows[(n + 1) % 3]
    rows[1][0] = 9
    return [len(r) for r in rows], sum(map(sum, rows)), sum(before), row[-1]


def reached(n):
    """A graph that is not the function's own."""
    seen, stack = [False] * 4, [n % 4]
    while stack:
        v = stack.pop()
        if not seen[v]:
            seen[v] = True
            for w in GRAPH[v]:
                stack.append(w)
    return seen


def of_a_dict(n):
    tree = {1: [2, 3], 2: [4, 5], 3: [6]}
    names = {"a": [1, 2], "b": [3]}
    total, stack = 0, [1]
    while stack:
        v = stack.pop()
        total += v * n
        for w in tree.get(v, []):
            stack.append(w)
    return total, len(tree.get(n, [])), sum(names.get("a" if n % 2 else "c", [0]))


def two_lengths(n):
    """Two paths have lists of lists of other lengths."""
    rows = [[n]] if n % 2 else [[n, 1], [2, n]]
    rows.append([5] * n)
    return len(rows), len(rows[0]), sum(map(sum, rows))


def ways(node, last):
    if node >= last:
        return [[node]]
    found = []
    for step in (1, 2):
        for way in ways(node + step, last):
            found.append([node] + way)
    return found


def returned(n):
    found = ways(0, n)
    return len(found), sum(map(sum, found)), found[0][-1], len(found[-1])


def knapsack(n):
    """Rows of one length of the member, whose numbers become wider."""
    weights, room = [2, 3, 4], 5 + n % 4
    best = [[0] * (room + 1) for _ in range(4)]
    for i in range(1, 4):
        for w in range(room + 1):
            best[i][w] = best[i - 1][w]
            if weights[i - 1] <= w:
                best[i][w] = max(best[i][w], best[i - 1][w - weights[i - 1]] + weights[i - 1])
    return best[3][room], best[1][n]


FUNCTIONS = [read, of_texts, changed, reached, of_a_dict, two_lengths, returned, knapsack]


@pytest.mark.every(8)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_lists_are_chosen_as_in_python(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(read, N, **options)
    check(changed, N, **options)
    check(returned, N, **options)


def test_a_chosen_list_of_a_dict_is_not_changed() -> None:
    def program(n):
        table = {1: [1], 2: [2, 3]}
        found = table.get(n, [])
        found.append(4)
        return sum(found), sum(table[1])

    with pytest.raises(pcbatch.ProgramError, match="a list among the values of a dict is changed"):
        pcbatch.autobatch(program).run(N, jit=False)


def test_a_place_that_is_not_there() -> None:
    check(lambda n: sum(GRAPH[n]), N, jit=False)
