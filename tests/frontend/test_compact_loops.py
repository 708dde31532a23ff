"""Loops over Python containers whose bodies branch: they stay loops where that can be."""

from __future__ import annotations

import enum
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.frontend import compact_loops
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([0, 1, 2, 3, 5, 7, 11, -4])
MOVES = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
WEIGHTS = np.array([0.5, 1.5, -2.0, 3.25, 0.125])


def reached(n):
    count, x, y = 0, n % 8, n // 2
    for dx, dy in MOVES:
        if not 0 <= x + dx < 8:
            continue
        if y + dy < 0:
            break
        count += 10 * dx + dy
    else:
        count += 1000
    return count


def wins(n):
    board = [(n * k + k) % 3 for k in range(9)]
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != 0:
            return a, b, c
    return None


def of_numbers(n):
    total, last, seen = 0.0, None, []
    for k, (x, flag) in enumerate(zip((3, 1, 4, 1, 5), (True, False, True, True, False)), n):
        if flag:
            total += x / 2
        elif x > 1:
            last = k
        seen.append(x if flag else k)
    return total, last, seen


def of_the_members_own(n):
    order, kept = [(n * k + k * k) % 9 for k in range(6)], 0
    for place in order:
        if place % 2:
            kept = kept * 10 + place
        else:
            while kept > 100:
                kept //= 3
    return kept, order[-1]


def of_an_array(n):
    x = 1.0
    for w in WEIGHTS:
        if x * w < n:
            x += w
        else:
            x -= w / 2
    return x


def halves(k):
    if k <= 1:
        return 1
    total = 0
    for part in (2, 3, 5, 7):
        total += halves(k // part) + part
    return total


def of_calls(n):
    return halves(n)


def primes_of(n):
    m, found = abs(n) * 60 + 6, []
    for p in (2, 3, 5, 7, 11):
        while m % p == 0:
            m //= p
            found.append(p)
    return found, m


def of_pairs_with_texts(n):
    found = ""
    for value, digit in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= value:
            found += digit
            n -= value
    return found


def of_words(n):
    counts, longest = {}, ""
    for word in "one two one six seven".split():
        if len(word) > n:
            continue
        counts[word] = counts.get(word, 0) + n
        if len(word) > len(longest):
            longest = word
    return len(counts), sum(counts.values()), longest


def of_characters(n):
    depth, total, worst = 0, n, 0
    for k, c in enumerate("(1+(2*3)"):
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c.isdigit():
            total += int(c) * depth
        if depth * total > worst:
            worst = depth * total + k
    return total, worst


class Move(enum.Enum):
    UP = (0, 1)
    DOWN = (0, -1)
    LEFT = (-1, 0)
    RIGHT = (1, 0)


def of_an_enum(n):
    x, y, last = n, 0, Move.UP
    for move in Move:
        dx, dy = move.value
        if x + dx > 3:
            continue
        x, y, last = x + dx, y + dy * n, move
    return x, y, last.name


COMPACT = (
    reached, wins, of_numbers, of_the_members_own, of_an_array, of_calls, primes_of,
    of_pairs_with_texts, of_words, of_characters, of_an_enum,
)  # fmt: skip


def blocks(function: pcbatch.Autobatched) -> int:
    return len(function.lower(N).stack_form.blocks)


@pytest.mark.parametrize("function", COMPACT)
def test_loops_of_numbers_are_loops(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are unrolled have more blocks, or one alone, where all branches are selects."""
    check(function, N)
    compact = blocks(shared(function))
    monkeypatch.setattr(compact_loops, "FEW", len(MOVES))
    unrolled = blocks(pcbatch.autobatch(function))
    assert unrolled > compact or unrolled == 1 < compact


def with_functions(n):
    total = 0
    for f in (lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x, lambda x, y: y):
        if f(n, 1) > 2:
            total += f(n, 3)
    return total


THINGS = (1, (2, 3), 4.5, (5, 6))


def with_known_places(n):
    """A number of the member's cannot choose among things of different types."""
    total = 0.0
    for k in (0, 2, 0, 2):
        if total < n:
            total += THINGS[k] + THINGS[k + 1][0]
    return total


def with_types(n):
    total = 0
    for x in (1, 2.5, True, 7):
        if isinstance(x, int) and n > 0:
            total += x
    return total


@pytest.mark.parametrize("function", [with_functions, with_known_places, with_types])
def test_other_loops_are_unrolled(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(function, N)
    as_it_is = blocks(shared(function))
    monkeypatch.setattr(compact_loops, "FEW", len(MOVES))
    assert blocks(pcbatch.autobatch(function)) == as_it_is


@pytest.mark.parametrize("number", range(sized(6, 60)))
def test_random_loops(number: int, tmp_path: Path) -> None:
    assert is_pythons(tmp_path / f"random_{number}.py", source_of(random.Random(number)), N)


def source_of(rng: random.Random) -> str:
    """A program with loops over literals, one in the other, that are left and gone on with."""
    rows = "\n".join(_loop(rng, depth=0))
    return f"def program(n):\n    a, b, out = n, 1, []\n{rows}\n    return a, b, out\n"


def _loop(rng: random.Random, depth: int) -> list[str]:
    size, pad = rng.randint(1, 6), "    " * (depth + 1)
    kind = rng.choice(["int", "float", "pair", "mixed", "own", "text", "named"])
    numbers = [rng.randint(-3, 9) for _ in range(size)]
    head = {
        "int": f"for x in {tuple(numbers)}:",
        "float": f"for x in {[float(k) for k in numbers]}:",
        "pair": f"for x, y in {[(k, k * 2 - 1) for k in numbers]}:",
        "mixed": f"for x in {[k if k % 2 else k / 4 for k in numbers]}:",
        "text": f"for c in {'7153924068'[:size]!r}:",
        "named": f"for w, x in {[('ab' * (k % 3), k) for k in numbers]}:",
        "own": f"for x in [n * {numbers[0]} + k for k in range({size})]:",
    }[kind]
    integer = "x" if kind in ("int", "pair", "own", "named") else "int(x)"
    integer = "int(c)" if kind == "text" else integer
    body = [
        f"if a % {rng.randint(2, 4)} == {rng.randint(0, 1)}:",
        f"    a += {integer}",
        rng.choice(["    continue", "    out.append(a)", "    b += 1"]),
        f"elif b > {rng.randint(3, 30)}:",
        rng.choice(["    break", "    b //= 2", "    out.append(b)"]),
        f"b += abs({integer}) % 5",
    ]
    if depth < 1 and rng.random() < 0.6:
        body[rng.choice([0, 5]) : 0] = [line[8:] for line in _loop(rng, depth=1)]
    tail = [f"{pad}else:", f"{pad}    a -= 1"] if rng.random() < 0.5 else []
    return [pad + head, *(f"{pad}    {line}" for line in body), *tail]
