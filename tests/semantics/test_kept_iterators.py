"""Iterators that variables have: Python's answers, in every way of running."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 5])


def asked_twice(n):
    it = iter([1, 2, 3, n])
    first = next(it)
    second = next(it)
    return first * 10 + second


class Till:
    def __init__(self, left):
        self.left = left

    def take(self, k):
        if k > self.left:
            raise ValueError("too much")
        self.left -= 1


def beside_objects_of_the_heap(n):
    it, till, log = iter([7 * k % 5 for k in range(2 * n)]), Till(n + 1), []
    for _ in range(n):
        a, b = next(it), next(it)
        try:
            till.take(a)
            log.append(b)
        except ValueError:
            log.append(-1)
    return log, till.left


def of_a_range(n):
    it = iter(range(n))
    first = next(it, -1)
    total = 0
    for x in it:
        total += x * first + x
    return first, total, next(it, None)


def the_best_of_the_rest(n):
    xs = [k * 3 % 7 for k in range(n)]
    it = iter(xs)
    best = next(it, 0)
    for x in it:
        if x > best:
            best = x
    return best


def listed(n):
    xs = [k * 3 % 7 for k in range(n)]
    it = iter(xs)
    return next(it), next(it), list(it), list(it)


def merged_in_order(n):
    xs = sorted([3, 5, n])
    ys = sorted([4, n, 1])
    a, b = iter(xs), iter(ys)
    x, y = next(a, None), next(b, None)
    out = []
    while x is not None and y is not None:
        if x <= y:
            out.append(x)
            x = next(a, None)
        else:
            out.append(y)
            y = next(b, None)
    while x is not None:
        out.append(x)
        x = next(a, None)
    while y is not None:
        out.append(y)
        y = next(b, None)
    return out


def of_zip(n):
    pairs = zip(range(n), [5, 6, 7, 8])
    first = next(pairs, (0, 0))
    s = 0
    for a, b in pairs:
        s += a * b
    return first, s


def of_a_text(n):
    text = "a1b2c3" + "x" * 2
    it = iter(text[n % 4 :])
    c = next(it)
    rest = "".join(it)
    return c + rest[:2], len(rest)


def in_pairs(n):
    it = iter([4, n, 6, 1, 9])
    out = []
    for a, b in zip(it, it):
        out.append(a * 10 + b)
    return out, next(it, -1)


def stopped(n):
    it = iter([4, 2, 8])
    total = 0
    try:
        while True:
            total = total * 10 + next(it)
            if total > 10 * n:
                break
    except StopIteration:
        total += 1000
    return total


def of_enumerate(n):
    e = enumerate([n, 2, 7], 1)
    k, x = next(e)
    rest = [a * b for a, b in e]
    return k, x, rest


def advanced(n):
    it = iter([1, 2, 3])
    for _ in range(n):
        next(it)
    return sum(it)


def without_the_header(n):
    rows = ["name,age", "bob,3", "al,5"]
    lines = iter(rows)
    header = next(lines)
    total = 0
    for line in lines:
        _, age = line.split(",")
        total += int(age)
    return total + n, header


def of_a_list_that_grows(n):
    xs = [1, 2]
    it = iter(xs)
    out = [next(it)]
    xs.append(n)
    for x in it:
        out.append(x)
        if len(xs) < 5:
            xs.append(x + 1)
    xs.append(9)
    return out, next(it, -5)


def of_a_list_that_is_written_to(n):
    xs = [1, 2, 3]
    it = iter(xs)
    a = next(it)
    xs[1] = n
    return a, next(it)


def of_a_list_that_is_sorted(n):
    xs = [3, 1, n]
    e = enumerate(xs)
    next(e)
    xs.sort()
    return next(e)


def sum_of_two(it):
    return next(it) + next(it)


def handed(n):
    it = iter([n, 2, 3, 4, 5])
    a = sum_of_two(it)
    b = sum_of_two(it)
    return a, b, next(it)


def with_else(n):
    it = iter([5, 3, n])
    next(it)
    for x in it:
        if x == 2:
            break
    else:
        return -1
    return x


def of_a_dict(n):
    d = {k: k * k for k in range(n + 1)}
    it = iter(d)
    a = next(it)
    items = iter(d.items())
    k, v = next(items)
    return a, k, v, [k + v for k, v in items], sum(it)


def of_reversed(n):
    it = reversed([1, 2, n])
    x = next(it)
    return x, list(it)


def of_an_iterator(n):
    it = iter([1, 2, n])
    jt = iter(it)
    next(jt)
    return next(it)


def of_rows(n):
    rows = [[1, 2], [3, n]]
    it = iter(rows)
    r = next(it)
    r[0] = 9
    return rows, next(it)


RIGHT = [
    asked_twice,
    beside_objects_of_the_heap,
    of_a_range,
    the_best_of_the_rest,
    listed,
    merged_in_order,
    of_zip,
    of_a_text,
    in_pairs,
    stopped,
    of_enumerate,
    advanced,
    without_the_header,
    of_a_list_that_grows,
    of_a_list_that_is_written_to,
    of_a_list_that_is_sorted,
    handed,
    with_else,
    of_a_dict,
    of_reversed,
    of_an_iterator,
    of_rows,
]


@pytest.mark.every(20)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_iterators_are_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(of_a_range, N, **options)
    check(merged_in_order, N, **options)


def test_what_is_exhausted_says_so_at_the_users_line() -> None:
    with pytest.raises(pcbatch.MemberError) as caught:
        shared(advanced).run(np.array([5]), jit=False).check()
    assert "StopIteration" in str(caught.value) and "next(it)" in str(caught.value)


def subsequence(n):
    it = iter([0, 1, 2, 1, n])
    return all(x in it for x in [1, 2])


def looked_for(n):
    it = iter([0, 1, 2, 1, n])
    return 2 in it


def kept_map(n):
    squares = map(abs, [n, 2, 3])
    return next(squares, 0), next(squares, 0)


def of_a_list_itself(n):
    xs = [1, n]
    return next(xs)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (subsequence, "an iterator that a variable has is gone over in part"),
        (looked_for, "an iterator that a variable has is gone over in part"),
        (kept_map, "a `map` object is kept in a variable"),
        (of_a_list_itself, "'list' object is not an iterator"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_refused_is_said(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(pcbatch.ProgramError) as caught:
        pcbatch.autobatch(function)(N)
    assert said in str(caught.value)


# --- At random ------------------------------------------------------------------------------------

STATEMENTS = (
    "total += next(it, {k})", "total = 10 * total + next(other, -{k})",
    "for x in it:\n        total += x\n        if x > {k}:\n            break",
    "if n % 2:\n        total += next(it, 7)", "xs.append({k})", "xs[0] = {k}",
    "for x in other:\n        total = (total * 3 + x) % 1009\n    else:\n        total += 1",
    "total += sum(it)", "it = iter(xs)", "total += len(list(other))",
    "try:\n        total += next(it)\n    except StopIteration:\n        total += 1000",
    "for a, b in zip(it, it):\n        total += a * b", "found = [x + {k} for x in it]",
    "for _ in range(n % 3):\n        total += 2 * next(other, {k})", "xs.sort()",
)  # fmt: skip


def source_of(seed: int) -> str:
    """A program that asks two iterators, and changes the list of one."""
    chosen = random.Random(seed)
    lines = [chosen.choice(STATEMENTS).format(k=chosen.randrange(9)) for _ in range(6)]
    body = [
        "xs, total, found = [n, 3, 1, n + 2], 0, [0]",
        "it = iter(xs)",
        "other = iter([4, n, 2])",
    ]
    last = "return total, found, next(it, -1), next(other, -1), len(xs)"
    return "def program(n):\n" + "".join(f"    {line}\n" for line in [*body, *lines, last])


@pytest.mark.thorough
def test_random_programs_are_pythons(tmp_path: Path) -> None:
    for seed in range(sized(8, 25, 400)):
        path = tmp_path / f"iterators_{seed}.py"
        assert is_pythons(path, source_of(seed), N, jit=False, strategy="local")
