"""Functions that put a list they are given into a list of lists: Python's answers, or refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_copied_rows import REFUSALS
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.extent import sized
from tests.support.members import check, of_member, shared
from tests.support.random_programs import written

N = np.array([0, 1, 2, 5])


def all_paths(n):
    """Ways through a graph, as the textbook collects them."""
    graph = {0: [1, 2], 1: [2, 3], 2: [3], 3: []}
    paths = []

    def follow(node, path):
        if node == 3:
            paths.append(path)
            return
        for after in graph[node]:
            follow(after, path + [after])

    follow(n % 4, [n % 4])
    return len(paths), sum(map(sum, paths)), paths[-1][0], len(paths[0])


def sums_to(n):
    """Coins that make a sum, in a list that a nested function fills."""
    coins, found = [2, 3, 5], []

    def go(k, left, chosen):
        if left == 0:
            found.append(chosen)
        elif left > 0 and k < len(coins):
            go(k, left - coins[k], chosen + [coins[k]])
            go(k + 1, left, chosen)

    go(0, n + 4, [])
    return len(found), [sum(chosen) for chosen in found]


def queens(n):
    size, boards = 4 + n % 2, []

    def place(row, columns):
        if row == size:
            boards.append(columns)
            return
        for c in range(size):
            if all(c != d and abs(c - d) != row - r for r, d in enumerate(columns)):
                place(row + 1, columns + [c])

    place(0, [])
    return len(boards), boards[0][0], boards[-1][-1]


def put(rows, row):
    rows.append(row)


def put_through(rows, row):
    put(rows, row)


def its_own(n):
    """Nobody else has the list, so that what it is put into may be changed."""
    rows = []
    for k in range(n):
        put_through(rows, [k] * k)
        rows[0].append(5)
        rows[-1].append(k)
    return sum(map(sum, rows)), len(rows)


def made_before(n):
    """A copy that is changed before it is handed over."""
    rows = []

    def go(path):
        if len(path) == 2:
            rows.append(path)
            return
        for k in range(n % 3 + 1):
            longer = path[:]
            longer.append(k)
            go(longer)

    go([])
    return len(rows), sum(map(sum, rows))


class Table:
    def __init__(self):
        self.places = {}
        self.rows = []

    def setdefault(self, key, row):
        if key not in self.places:
            self.places[key] = len(self.rows)
            self.rows.append(row)
        return self.rows[self.places[key]]


def grouped(n):
    """A class that keeps lists by keys."""
    table = Table()
    for k in range(6):
        table.setdefault(k % (n + 1), []).append(k)
    return len(table.rows), sum(table.rows[0]), len(table.rows[-1])


RIGHT = [all_paths, sums_to, queens, its_own, made_before, grouped]


@pytest.mark.every(6)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_rows_that_functions_put_in_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(all_paths, N, **options)
    check(its_own, N, **options)


def by_its_name(n):
    rows, row = [], [n]
    put(rows, row)
    row.append(3)
    return sum(map(sum, rows))


def by_another_name(n):
    rows, row = [], [n]
    other = row
    put_through(rows, row)
    other.append(3)
    return sum(map(sum, rows))


def in_the_list(n):
    rows, row = [], [n]
    put_through(rows, row)
    rows[0].append(3)
    return sum(row)


def captured(n):
    rows, row = [], [n]

    def go(k):
        if k:
            rows.append(row)
            go(k - 1)

    go(n)
    row.append(5)
    return sum(map(sum, rows)), len(row)


def given_back(n):
    rows = []

    def keep(row, k):
        if k == 0:
            rows.append(row)
            return row
        return keep(row + [k], k - 1)

    kept = keep([], n)
    kept.append(100)
    return sum(map(sum, rows))


def on_one_path(n):
    rows = []

    def go(row, k):
        if k == 0:
            rows.append(row)

    for k in range(n):
        row = [k]
        go(row, k % 2)
        row.append(50)
    return sum(map(sum, rows))


def one_of_two(n):
    first, second, rows = [1], [2, 3], []

    def choose(k):
        rows.append(first if k % 2 else second)

    for k in range(n):
        choose(k)
    first.append(4)
    return sum(map(sum, rows))


def assigned(n):
    rows = [[0]]

    def replace(row):
        rows[0] = row

    row = [n, 2]
    replace(row)
    row[0] = 77
    return rows[0][0]


def the_same_twice(n):
    """The textbook's mistake: all rows are one list."""
    rows = []

    def go(row, k):
        rows.append(row)
        if k:
            row.append(k)
            go(row, k - 1)

    go([], n)
    return len(rows), sum(map(sum, rows))


SHARED = [captured, on_one_path, one_of_two, assigned]


@pytest.mark.every(6)
@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_a_change_is_seen_where_the_rows_are_shared(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


CHANGED = [by_its_name, by_another_name, in_the_list, given_back, the_same_twice]


@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
def test_a_change_that_a_copy_would_not_see_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(pcbatch.ProgramError, match="and is changed afterwards"):
        shared(function).run(N, jit=False)


# --- At random ------------------------------------------------------------------------------------

FUNCTIONS = """
def put(rows, row):
    rows.append(row)


def put_at(rows, k, row):
    rows[k % len(rows)] = row


def keep(rows, row):
    put(rows, row)
    return row


def push(row, k):
    row.append(k)


def longer(row, k):
    return row + [k]


def collect(rows, row, k):
    if k <= 0:
        rows.append(row)
        return
    collect(rows, row + [k], k - 1)


def handed(rows, row, k):
    if k <= 0:
        rows.append(row)
        return
    handed(rows, row, k - 1)


"""
STATEMENTS = (
    "put(rows, row)", "put(rows, row[:])", "put(rows, [n, {k}])", "put_at(rows, {k}, row)",
    "row = keep(rows, row)", "row = keep(rows, [{k}])", "push(row, {k})", "push(rows[-1], {k})",
    "row = longer(row, {k})", "collect(rows, row, n % 3)", "collect(rows, [{k}], n % 3)",
    "handed(rows, row, n % 2)", "handed(rows, [{k}, n], 1)", "row.append({k})", "row[0] = {k}",
    "rows[-1].append({k})", "rows[0][0] = {k}", "old = row", "row, old = old, row",
    "inner(row)", "inner([{k}])", "inner(row[:])", "change({k})",
    "for k in range(n):\n        put(rows, [k] * k)\n        rows[-1].append(k)",
    "for k in range(n):\n        row = longer(row, k)\n        put(rows, row)",
    "if n % 2:\n        put(rows, row)", "pair = (row, n)\n    put(rows, pair[0])",
    "rows[0], rows[-1] = rows[-1], rows[0]", "row = rows[-1][:]", "rows = rows[::-1]",
)  # fmt: skip


def source_of(seed: int) -> str:
    """A program whose functions put lists into a list of lists, and may change them."""
    chosen = random.Random(seed)
    lines = [chosen.choice(STATEMENTS).format(k=chosen.randrange(9)) for _ in range(5)]
    nested = "\n    def inner(given):\n        rows.append(given)\n"
    nested += "\n    def change(k):\n        row.append(k)\n\n"
    nested = nested if any("inner" in x or "change" in x for x in lines) else ""
    head = "def program(n):\n    row = [1] * (n + 1)\n    old = [2, n]\n    rows = [[3, n]]\n"
    last = "    return sum(map(sum, rows)), len(rows), sum(row), sum(old)\n"
    return FUNCTIONS + head + nested + "".join(f"    {line}\n" for line in lines) + last


@pytest.mark.thorough
def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    ran = 0
    for seed in range(sized(12, 150)):
        path = tmp_path / f"program_{seed}.py"
        module = written(path, source_of(seed))
        plain = [module.program(int(n)) for n in N]
        for name in ("put", "put_at", "keep", "push", "longer", "collect", "handed"):
            setattr(module, name, pcbatch.autobatch(getattr(module, name)))
        try:
            result = pcbatch.autobatch(module.program).run(N, jit=False, strategy="local")
        except pcbatch.ProgramError as error:
            assert any(x in str(error) for x in (*REFUSALS, *_ALSO)), f"{path}\n{error}"
            continue
        ran += 1
        found = [of_member(result.check().value, i) for i in range(len(N))]
        assert found == plain, path.read_text()
    assert ran > 3


_ALSO = (
    "that another call may still use as its own",
    "is assigned outside of it",
)
