"""Lists of lists that have rows in common, which are changed: Python's answers, in every way."""

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
from tests.strangers.fields.interviews import spiral
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 5])


def merged_by_a_key(n):
    spans = [[1 + n, 3], [2, 6], [8, 10], [15 - n, 18]]
    spans.sort(key=lambda span: span[0])
    found = []
    for span in spans:
        if not found or found[-1][1] < span[0]:
            found.append(span)
        else:
            found[-1][1] = max(found[-1][1], span[1])
    return len(found), found[0][1], spans[0]


def joined(spans):
    spans.sort()
    out = [spans[0]]
    for span in spans[1:]:
        if span[0] <= out[-1][1]:
            out[-1][1] = max(out[-1][1], span[1])
        else:
            out.append(span)
    return out


def in_a_helper(n):
    """What a helper changes, its caller sees."""
    spans = [[1, 4], [n, n + 2], [10, 12]]
    found = joined(spans)
    found[0][0] = -1
    return found, spans


def two_names(n):
    row, rows = [1] * (n + 1), []
    rows.append(row)
    row.append(1)
    rows.append(row)
    rows[1][0] = 7
    return rows, row, rows[0] is rows[1]


def two_lists(n):
    rows = [[k, k + n] for k in range(4)]
    odd = [row for row in rows if row[0] % 2]
    even = [row for row in rows if row[0] % 2 == 0]
    odd[0].append(5)
    even[1][0] += 10
    return rows, len(odd), sum(even[1])


def exchanged(n):
    """A row keeps its name where it changes its place."""
    rows = [[(7 * k + n) % 5, k] for k in range(6)]
    first = rows[0]
    for i in range(len(rows)):
        for j in range(len(rows) - 1 - i):
            if rows[j] > rows[j + 1]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    first[0] = 100
    return rows, first


def nearest(n):
    points = [[1, 2], [3, 4], [5, n], [n, 0]]
    near = sorted(points, key=lambda p: (p[0] - 2) ** 2 + (p[1] - 3) ** 2)[:2]
    near[0][0] = 100
    return points, near, sorted(points), sorted(points, reverse=True)[0]


def taken_out_and_put_in(n):
    rows = [[k] for k in range(5)]
    kept = rows[1]
    del rows[n % 5]
    kept.append(8)
    rows.insert(1, kept)
    rows.reverse()
    rows.extend(rows[:2])
    rows += [kept, [9]]
    rows[0].append(4)
    last = rows.pop()
    last[0] = 1
    if [3] in rows:
        rows.remove([3])
    return rows, last, rows.count(kept), rows.index(kept)


def gone_over(n):
    rows = [[k, n] for k in range(3)]
    turned = rows[::-1]
    out = []
    for k, row in enumerate(rows):
        row.append(k)
    for a, b in zip(rows, turned):
        out.append(a[0] * 10 + b[0])
    for row in reversed(rows):
        out.append(row[-1])
    flat = [x for row in turned for x in row]
    return out, flat, [row[2] for row in turned], sum(map(sum, rows)), max(map(len, rows))


def seen_only_once(n):
    rows, seen = [[1, 2], [3, 4], [n, 2]], []
    for row in rows:
        if row not in seen:
            seen.append(row)
    seen[0][0] = 9
    return seen, rows, [3, 4] in rows


def of_texts(n):
    board = [["." for _ in range(3)] for _ in range(3)]
    row = board[n % 3]
    row[1] = "x"
    board[0], board[2] = board[2], board[0]
    return board[0][1] == "x", row[1]


def copies_and_names(n):
    a = [[0] * 2 for _ in range(2)]
    b, c, d = a, a[:], [row[:] for row in a]
    a[0][0] = n
    b[1][1] = 7
    c[0] = [5, 5]
    c[1][0] = 3
    return a, b, c, d, a is b, c is a, a == b, a == c, a < c, a != d


RIGHT = [
    merged_by_a_key, in_a_helper, spiral, two_names, two_lists, exchanged, nearest,
    taken_out_and_put_in, gone_over, seen_only_once, of_texts, copies_and_names,
]  # fmt: skip


@pytest.mark.every(13)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_shared_rows_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(in_a_helper, N, **options)
    check(spiral, N, **options)


def out_of_range(n):
    rows = [[k] for k in range(3)]
    kept = rows[0]
    rows.pop(0)
    kept.append(n)
    return rows[n]


def popped_too_often(n):
    rows = [[k] for k in range(3)]
    kept = rows[0]
    rows[0] = [5]
    kept.append(n)
    return rows.pop(n)


def not_there(n):
    rows = [[k] for k in range(3)]
    kept = rows[0]
    rows.reverse()
    kept[0] = 1
    rows.remove([n])
    return len(rows)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("function", "said", "line"),
    [
        (out_of_range, "IndexError: list index out of range", "return rows[n]"),
        (popped_too_often, "IndexError: pop index out of range", "return rows.pop(n)"),
        (not_there, "ValueError: list.remove(x): x not in list", "rows.remove([n])"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_python_raises_is_said_of_the_users_line(
    function: Callable[[Any], Any], said: str, line: str
) -> None:
    check(function, N, jit=False)
    with pytest.raises(pcbatch.MemberError) as caught:
        shared(function).run(np.array([1, 5]), jit=False).check()
    assert said in str(caught.value) and line in str(caught.value)


# --- Comparisons ----------------------------------------------------------------------------------


def compared(n):
    a, b = [[1, 2], [n]], [[1, 2], [3]]
    for k in range(n % 3):
        a.append([k, 2])
        b.append([k] * k)
    best = None
    for rows in (a, b):
        if best is None or rows < best:
            best = rows
    same = a == [[1, 2], [n]], [[0]] < b, [n] in a
    return a == b, a < b, a != b, a >= b, len(best), max(a), min(b), sorted(a)[0], same


def best_path(n):
    best, waiting, done = None, [[0]], []
    while waiting:
        path = waiting.pop()
        if len(path) > n % 4:
            done.append(path)
            if best is None or path < best:
                best = path
            continue
        waiting.append(path + [2])
        waiting.append(path + [1])
    return len(done), best, min(done), max(done), sorted(done)[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("function", [compared, best_path], ids=lambda f: f.__name__)
def test_lists_of_lists_are_compared_as_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


# --- At random ------------------------------------------------------------------------------------

STATEMENTS = (
    "row = [n, {k}]", "row = row[:]", "row = row + [{k}]", "rows.append(row)",
    "row = rows[{k} % 2]",
    "rows.append(row[:])", "rows[{k} % len(rows)] = row", "row.append({k})", "row[0] = {k}",
    "rows[-1].append({k})", "rows[0][0] = {k}", "old = row", "row = rows[-1]",
    "row, old = old, row", "old = row if n % 2 else old", "others = rows[::-1]",
    "for each in rows:\n        each[0] += {k}", "if n % 3 == 1:\n        row = [{k}]",
    "if n % 2:\n        rows.append(row)", "rows.sort()", "others = sorted(rows, reverse=True)",
    "for k in range(n):\n        row = row + [k]\n        rows.append(row)",
    "for k in range(n):\n        row.append(k)\n        others.append(row)",
    "while len(rows) > 2:\n        row = rows.pop()", "row = rows.pop(0)\n    rows.append([{k}])",
    "rows.insert({k} % 3, row)", "rows.reverse()", "others.extend(rows)", "others += [row]",
    "rows = rows[1:] + others", "others = [each for each in rows if len(each) > 1]",
    "rows[0], rows[-1] = rows[-1], rows[0]", "others = list(rows)", "others[0] = [{k}, n]",
    "others.append(rows[0])", "others[-1].append({k})", "total += rows.count(row)",
    "total += rows < others", "total += row in others", "rows.sort(key=len)",
    "total += sum(max(rows)) + len(min(others))", "del others[0]\n    others.append(row)",
)  # fmt: skip


def source_of(seed: int) -> str:
    """A program in which two lists of lists have rows in common, and both are changed."""
    chosen = random.Random(seed)
    lines = [chosen.choice(STATEMENTS).format(k=chosen.randrange(9)) for _ in range(7)]
    first = chosen.choice(("rows = [row, old]", "rows = [[k] for k in range(n + 2)]"))
    body = ["total, row, old = 0, [1] * (n + 1), [2, n]", first, "others = [[n], row]", *lines]
    last = "return total, rows, others, row, old"
    return "def program(n):\n" + "".join(f"    {line}\n" for line in [*body, last])


@pytest.mark.thorough
def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    how = {"refusals": REFUSALS, "jit": False, "strategy": "local"}
    seeds = range(sized(6, 20, 400))
    ran = [is_pythons(tmp_path / f"shared_{k}.py", source_of(k), N, **how) for k in seeds]
    assert sum(ran) > 5
