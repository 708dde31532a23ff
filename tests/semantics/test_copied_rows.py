"""A list that is put into a list of lists, which has a copy of it: Python's answers, or refused."""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons
from tests.support.tolerances import Tolerance, assert_close

N = np.array([0, 1, 2, 5])


def pascal(n):
    row = [1]
    rows = [row]
    for _ in range(n):
        row = [1] + [row[k] + row[k + 1] for k in range(len(row) - 1)] + [1]
        rows.append(row)
    return rows[n][n // 2], sum(map(len, rows))


def longest_common(n):
    """A table whose first row has a length of the member, and the row before."""
    a, b = [k * k % 3 for k in range(n)], [k % 3 for k in range(n + 1)]
    before = [0] * (len(b) + 1)
    table = [before]
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
        table.append(row)
        before = row
    return table[n][n + 1], before[-1], table[n // 2][n // 2]


def history(n):
    state = [0] * (n + 1)
    states, best = [], state
    for k in range(n):
        state = state[:]
        state[k] = k * k % 7
        states.append(state)
        if sum(state) > sum(best):
            best = state
    return len(states), sum(map(sum, states)), best


def first_row(n):
    rows = [[j for j in range(n + 1)]]  # noqa: C416
    for _ in range(n):
        rows.append(rows[-1][:])
        rows[-1][n // 2] += 3
    return rows[-1], len(rows)


def views(n):
    rows = [[k] * k for k in range(n + 1)]
    long = []
    for row in rows:
        if len(row) > 1:
            long.append(row)
    return sum(map(sum, long)), len(rows)


def paths(n):
    """Breadth first: rows are taken out in front."""
    waiting, total = [[0]], 0
    while waiting:
        path = waiting.pop(0)
        total = (total * 3 + sum(path) + len(path)) % 1_000_003
        if len(path) <= n:
            waiting.append(path + [1])
            if n > 2 and len(path) < 3:
                waiting.append(path + [2])
    return total


def queued(n):
    waiting, total = deque([[0], [n, 1]]), 0
    while waiting:
        path = waiting.popleft() if total % 2 else waiting.pop()
        total = total * 3 + sum(path) + len(path)
        if len(path) <= n % 4:
            waiting.append(path + [1])
    return total


def of_queues(n):
    """Queues of lists, one of them of a bounded length."""
    last, first, more = deque(maxlen=2), deque([[1]]), [[k] * k for k in range(n)]
    for k in range(n + 1):
        last.append([k] * k)
        first.appendleft([k] * k)
    first.extendleft(more)
    first.extend(more)
    first.rotate(1)
    return [len(row) for row in first], sum(map(sum, last)), len(last[0]), len(first.copy())


def inserted(n):
    rows = [[k] * k for k in range(n + 1)]
    rows.insert(0, [7])
    rows.insert(2, [n, n])
    rows.insert(-1, [])
    del rows[1]
    rows.reverse()
    return [len(row) for row in rows], sum(map(sum, rows)), rows[-1][0]


def scrolled(n):
    grid = [[0] * 3 for _ in range(4)]
    for k in range(n):
        grid[3][k % 3] = 1
        grid.pop(0)
        grid.append([0, 0, k])
    grid.reverse()
    return sum(map(sum, grid)), grid[0][2], len(grid)


def of_two_lengths(n):
    rows = [[3, 1], [2]]
    for k in range(n):
        rows.append([k] * k)
    return len(rows), sum(map(len, rows)), rows[1][0]


def subsets(n):
    """Lists of lists that are put together, and gone over while they grow."""
    some, more, all_of_them = [[]], [[]], [[]]
    for k in range(n % 4):
        some += [one + [k] for one in some]
        more = more + [one + [k] for one in more]
        for one in list(all_of_them):
            all_of_them.append(one + [k])
    return len(some), sum(map(sum, some)), sum(map(sum, more)), sum(map(sum, all_of_them))


def parts_of_rows(n):
    rows = [[k] * k for k in range(n + 2)]
    front, behind, turned = rows[:n], rows[n:], rows[::-1]
    front.append([7])
    behind[0] = [5, 5]
    return len(rows), len(front), sum(behind[0]), [len(row) for row in turned], sum(rows[n])


def sorted_rows(n):
    """Rows of one length, in order."""
    spans = [[n, 1], [2, n], [0, 3]]
    spans.sort(reverse=True)
    spans[n % 3][1] = 7
    return [a for a, _ in spans], [b for _, b in spans]


def of_deep_copies(n):
    """What is copied with its rows may be changed."""
    row = [1] * (n + 1)
    rows = [row]
    for k in range(n):
        rows.append([k])
    whole, each = copy.deepcopy(rows), [one[:] for one in rows]
    whole[0][0], each[0][0] = 5, 7
    whole[-1].append(2)
    return row, rows[0][0], whole[0][0], each[0][0], sum(map(len, whole)), sum(map(len, rows))


RIGHT = [
    pascal, longest_common, history, first_row, views, paths, queued, inserted, scrolled,
    of_two_lengths, subsets, parts_of_rows, of_queues, of_deep_copies,
    sorted_rows,
]  # fmt: skip


@pytest.mark.every(15)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_rows_that_variables_mean_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(longest_common, N, **options)
    check(paths, N, **options)


def moved(x, n):
    rows = [[x, 2.0 * x]]
    before = rows[0][:]
    for k in range(n):
        row = [before[-1] * x + j for j in range(k + 1)]
        rows.append(row)
        before = row
        rows.insert(1, [x * k])
    total = sum(rows.pop(0))
    rows.reverse()
    for row in rows[1:]:
        for value in row:
            total += value * value
    return total


@pytest.mark.thorough
def test_gradients_go_through_rows() -> None:
    x, n, step = np.array([0.5, 1.2, -0.7]), np.array([1, 3, 2]), 1e-6
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        total = pcbatch.autobatch(moved, jit=False)(given, n)
    ends = [[moved(a + way * step, k) for a, k in zip(x, n, strict=True)] for way in (-1, 1)]
    expected = (np.array(ends[1]) - np.array(ends[0])) / (2 * step)
    assert_close(tape.gradient(total, given), expected, Tolerance(1e-6))


# --- What is changed ------------------------------------------------------------------------------


def by_its_name(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    row.append(1)
    return len(rows[0])


def by_another_name(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    before = row
    before[0] = 5
    return rows[0][0]


def on_one_path(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    other = row if n > 1 else [7]
    other.append(1)
    return len(rows[0])


def in_a_call(n):
    def grow(xs):
        xs.append(1)

    row, rows = [1] * (n + 1), []
    rows.append(row)
    grow(row)
    return len(rows[0])


def in_the_list(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    rows[0][0] = 9
    return row[0]


def in_a_loop(n):
    row, rows = [1] * (n + 1), [[2]]
    rows.append(row)
    for each in rows:
        each.append(0)
    return len(row)


def taken_out(n):
    row, rows = [1] * (n + 1), [[2]]
    rows.append(row)
    last = rows.pop()
    last.append(5)
    return len(row)


def put_twice(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    rows.append(row)
    rows[0].append(1)
    return len(rows[1])


def assigned(n):
    row, rows = [1] * (n + 1), [[0] for _ in range(n + 1)]
    rows[0] = row
    row[0] = 5
    return rows[0][0]


def in_a_display(n):
    row = [1] * (n + 1)
    rows = [row]
    for k in range(n):
        rows.append([k])
    row[0] = 5
    return rows[0][0]


def of_another_list(n):
    rows = [[k] * k for k in range(n + 1)]
    others = [rows[0]]
    others.append(rows[n])
    rows[n].append(3)
    return len(others[-1])


def the_best(n):
    best, rows = [], []
    for k in range(n):
        row = [j * k % 3 for j in range(n)]
        rows.append(row)
        if sum(row) >= sum(best):
            best = row
    best.append(100)
    return sum(map(sum, rows))


def in_a_slice(n):
    rows = [[k] * (k + 1) for k in range(n + 1)]
    others = rows[:]
    others[0][0] = 9
    return rows[0][0]


def of_what_was_extended(n):
    rows, more = [], [[k] * (k + 1) for k in range(n + 1)]
    rows.extend(more)
    more[0].append(7)
    return len(rows[0])


def of_a_sum(n):
    a, b = [[k] * (k + 1) for k in range(n + 1)], [[k] * k for k in range(n)]
    both = a + b
    a[0].append(2)
    return len(both[0])


def of_a_queue(n):
    queue = deque([[n], [n, 1]])
    for k in range(n):
        queue.append([k] * k)
    other = queue.copy()
    other[0][0] = 9
    return queue[0][0]


def made_a_queue(n):
    rows = [[k] * (k + 1) for k in range(n + 1)]
    queue = deque(rows)
    queue[0][0] = 9
    return rows[0][0]


def put_in_front(n):
    queue, more = deque([[1], [2, 3]]), [[k] * (k + 1) for k in range(n + 1)]
    queue.extendleft(more)
    more[0].append(3)
    return len(queue[n])


SHARED = [
    by_its_name, by_another_name, in_a_call, in_the_list, in_a_loop, taken_out, put_twice, assigned,
    in_a_display, of_another_list, the_best, in_a_slice, of_what_was_extended, of_a_sum,
]  # fmt: skip


@pytest.mark.every(22)
@pytest.mark.parametrize("function", SHARED, ids=lambda f: f.__name__)
def test_a_change_is_seen_where_the_rows_are_shared(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


CHANGED = [on_one_path, of_a_queue, made_a_queue, put_in_front]


@pytest.mark.every(2)
@pytest.mark.parametrize("function", CHANGED, ids=lambda f: f.__name__)
def test_a_change_that_a_copy_would_not_see_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(pcbatch.ProgramError, match="and is changed afterwards"):
        shared(function).run(N, jit=False)


# --- At random ------------------------------------------------------------------------------------

STATEMENTS = (
    "row = [n, {k}]", "row = row[:]", "row = row + [{k}]", "rows.append(row)",
    "rows.append(row[:])", "rows[{k} % len(rows)] = row", "row.append({k})", "row[0] = {k}",
    "rows[-1].append({k})", "rows[0][0] = {k}", "old = row", "row = old", "row = rows[-1][:]",
    "row, old = old, row", "old = row if n % 2 else old",
    "for each in rows:\n        each[0] += {k}", "if n % 3 == 1:\n        row = [{k}]",
    "if n % 2:\n        rows.append(row)",
    "for k in range(n):\n        row = row + [k]\n        rows.append(row)",
    "for k in range(n):\n        row.append(k)\n        rows.append(row)",
    "while len(rows) > 2:\n        row = rows.pop()", "row = rows.pop(0)\n    rows.append([{k}])",
    "rows.insert({k} % 3, row)", "rows.reverse()", "rows.insert(0, [{k}, n])",
    "rows = rows[1:] + [[{k}] for _ in range(n)]", "rows.extend([row[:] for _ in range(n)])",
    "rows = rows[::-1]", "others = rows[:]", "others[0] = [{k}, n]",
    "others = list(rows)\n    others.append(row)", "others[-1].append({k})",
)  # fmt: skip


def source_of(seed: int) -> str:
    """A program that puts lists into a list of lists, and may change them."""
    chosen = random.Random(seed)
    lines = [chosen.choice(STATEMENTS).format(k=chosen.randrange(9)) for _ in range(6)]
    first = chosen.choice(("rows = [row]", "rows = [row[:]]", "rows = [[k] for k in range(n + 1)]"))
    body = ["row = [1] * (n + 1)", "old = [2, n]", first, "others = [[n]]", *lines]
    last = "return sum(map(sum, rows)), len(rows), sum(row), sum(old), sum(map(sum, others))"
    return "def program(n):\n" + "".join(f"    {line}\n" for line in [*body, last])


@pytest.mark.thorough
def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    how = {"refusals": REFUSALS, "jit": False, "strategy": "local"}
    seeds = range(sized(12, 60))
    ran = [is_pythons(tmp_path / f"copied_{k}.py", source_of(k), N, **how) for k in seeds]
    assert sum(ran) > 3


REFUSALS = (
    "is changed afterwards", "still means it", "may still mean the old one",
    "its lists come from two lists of lists",
)  # fmt: skip
