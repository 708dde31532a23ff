"""`q = p = P(3)`, and behind a condition `p` is an element: a change of it is no change of `q`."""

from __future__ import annotations

from collections import deque

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 4, 5)


class P:
    def __init__(self, x):
        self.x = x


class Q:
    def __init__(self, p):
        self.p = p


class Owner:
    def __init__(self):
        self.table, self.items = {}, []

    def get(self, k):
        return self.items[k]


SOURCES = {
    "pairs": ("ys = []", "ys.append((k, P(k)))", "ys[0][1]"),
    "dict": ("d = {}", "d[k] = P(k)", "d[0]"),
    "dict of dicts": ("d = {}", "d[k] = {}\n        d[k][k] = P(k)", "d[0][0]"),
    "dict of lists": ("d = {}", "d[k] = []\n        d[k].append(P(k))", "d[0][0]"),
    "rows": ("ys = []", "ys.append([P(k), P(k + 1)])", "ys[0][1]"),
    "parts": ("ys = [Q(P(1)), Q(P(2))]", "pass", "ys[n % 2].p"),
    "attribute": ("own = Owner()", "own.table[k] = P(k)", "own.table[0]"),
    "method": ("own = Owner()", "own.items.append(P(k))", "own.get(0)"),
    "list": ("ys = []", "ys.append(P(k))", "ys[-1]"),
    "queue": ("ys = deque()", "ys.append(P(k))", "ys.popleft()"),
    "least": ("ys = []", "ys.append(P(k))", "min(ys, key=lambda z: z.x)"),
    "first": ("ys = []", "ys.append(P(k))", "next(z for z in ys if z.x >= 1)"),
}
KINDS = {"objects": ("P({})", ".x"), "records": ('{{"x": {}}}', '["x"]')}
WAYS = {
    "once": "if n > 2:\n        p = {take}\n    p{x} = 7",
    "in a loop": "while p{x} < 5 and n > 1:\n        p{x} += 2\n        n -= 1\n        p = {take}"
    "\n    p{x} = 7",
}


def program(source, kind, way, tmp_path):
    """A function with an element that gets a name which another object had."""
    begin, each, take = SOURCES[source]
    make, x = KINDS[kind]
    text = (
        f"def f(n):\n    {begin}\n    for k in range(n):\n        {each}\n    q = p = P(3)\n    "
        f"{WAYS[way].format(take=take, x='.x')}\n    return q.x, p.x\n"
    )
    text = text.replace(".x", x)
    for number in ("k + 1", "k", "1", "2", "3"):
        text = text.replace(f"P({number})", make.format(number))
    file = tmp_path / "program.py"
    file.write_text(text)
    names = {"P": P, "Q": Q, "Owner": Owner, "deque": deque}
    exec(compile(text, str(file), "exec"), names)
    return names["f"]


CASES = [(s, k, w) for s in SOURCES for k in KINDS for w in WAYS]


@pytest.mark.every(11)
@pytest.mark.parametrize(("source", "kind", "way"), CASES)
def test_the_other_name_keeps_its_object(source, kind, way, tmp_path):
    check(program(source, kind, way, tmp_path), N)
