"""None where Python takes a text, or goes over elements: the members stop for which it is None."""

from __future__ import annotations

import pytest

import pcbatch
from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(-2, 0, 1, 3, 4, 7, 12)


def in_words(n):
    if n < 0:
        return "minus " + in_words(-n)
    if n < 5:
        return "abcde"[n]
    for size, name in ((100, "hundred"), (5, "five")):
        if n >= size:
            return in_words(n // size) + " " + name
    return None


def added_to_a_text(n):
    s = str(n) if n % 2 else None
    return "a" + s


def caught(n):
    s = "x" if n % 2 else None
    try:
        return s + "y"
    except TypeError:
        return "none"


def length(n):
    s = str(n) if n % 2 else None
    return len(s)


def loop(n):
    xs, total = [1, 2, n] if n % 2 else None, 0
    for x in xs:
        total += x
    return total


def comprehension(n):
    s = str(n) if n % 2 else None
    return [c for c in s if c != "1"]


def total(n):
    xs = (1, n) if n % 2 else None
    return sum(xs)


def contained(n):
    s = str(n) if n % 2 else None
    return "1" in s


class Node:
    def __init__(self, label=None):
        self.label = label
        self.child = None


def in_a_set(n):
    node, found = Node(), set()
    node.child = Node("x" if n % 2 else "y")
    while node:
        if node.child is None:
            found |= {node.label}
        node = node.child
    return sorted(found)


def digits_or_one(n):
    s = "12" * (n % 3)
    return int(s or 1) + int(n or 5)


def memo_and_a_generator(n):
    needs = {"A": "", "B": "A", "C": "AB"}
    early = {}

    def finish(task):
        if task not in early:
            early[task] = max((finish(p) for p in needs[task]), default=0) + n
        return early[task]

    return max(finish(t) for t in needs), len(early)


def test_none_in_a_set_is_a_limit():
    def program(n):
        s = "x" if n % 2 else None
        return {s, "y"} == {"x", "y"}

    result = pcbatch.autobatch(program).run(N, strategy="local")
    for k, n in enumerate(N):
        limit = "" if n % 2 else "NotImplementedError: None is an element of a set"
        assert result.message(k).startswith(limit) and bool(result.message(k)) == bool(limit)


ALIKE = (
    in_words, added_to_a_text, caught, length, loop, comprehension, total, contained, in_a_set,
    digits_or_one, memo_and_a_generator,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)
