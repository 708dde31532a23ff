"""Random programs in which functions and methods change what they are handed.

`main(n, k, x, y, b)` has objects in variables, in objects and in a list, one that may be None, and
dicts of texts. It gives them other names, hands them to methods, to helpers with branches, to
recursions and to nested functions, which change them, exchange them, make new ones and return
either. Python says what each name sees; where a program has to be refused, it is. Every program
terminates, and integers stay small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.conformance.generator.choices import Choices

DATACLASSES = """\
@dataclasses.dataclass
class PartOf:
    x: int
    y: int = 1
    near: object = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass
class WholeOf:
    a: PartOf
    b: PartOf
    n: int = 0
"""
PLAIN = """\
class PartOf:
    def __init__(self, x, y=1):
        self.y = y
        self.near = None
        if x < 0:
            x = -x
        self.x = x


class WholeOf:
    n = 0

    def __init__(self, a, b):
        self.a, self.b = a, b
        self.n = self.n + a.x % 2
"""
HEAD = """\
import dataclasses

import pcbatch


{classes}

class Part(PartOf):
    def __init__(self, x, y=1):
        super().__init__(x, y)

    @property
    def larger(self):
        if self.x > self.y:
            return self.x
        return self.y

    @larger.setter
    def larger(self, k):
        if k > 4:
            self.x = k
        else:
            self.y = k

    def __add__(self, other):
        if other.x > 3:
            return Part(self.x, other.y)
        return Part((self.x + other.x) % 1009, self.y)

    def __iadd__(self, k):
        while k > 0:
            self.x = (self.x + k) % 1009
            k -= 1
        return self

    def __lt__(self, other):
        if self.y == other.y:
            return self.x < other.x
        return self.y < other.y

    def __getitem__(self, k):
        return self.x if k % 2 else self.y

    def __setitem__(self, k, value):
        if k % 2:
            self.x = value
        else:
            self.y = value

    def __call__(self, k):
        if k > 2:
            self.x = (self.x + k) % 1009
        return self.x

    def add(self, k):
        self.x = (self.x + k) % 1009

    def turn(self, k):
        self.add(k)
        self.x, self.y = self.y, self.x
        return self

    def descend(self, depth):
        if depth > 0:
            self.y = (self.y + depth) % 1009
            self.descend(depth - 1)

    def take(self, other):
        self.x = (self.x + other.y) % 1009
        other.y = self.x % 7
        return other


class Piece(Part):
    share = 3

    def turn(self, k):
        if k > 2:
            super().turn(k)
        self.x = (self.x + self.share) % 1009
        return self

    def add(self, k):
        self.y = (self.y + k) % 1009

    @property
    def larger(self):
        return super().larger + 1

    @larger.setter
    def larger(self, k):
        self.x = k + self.share

    def __getitem__(self, k):
        return self.share if k % 3 else self.y


class Whole(WholeOf):
    def step(self):
        self.a.x = (self.a.x + self.b.y) % 1009
        self.b.add(2)
        self.n += 1

    def exchange(self):
        self.a, self.b = self.b, self.a

    def renew(self, k):
        self.a = Part(k, self.n)
        return self.a


def changed(o, k):
    if o.x > k:
        o.x -= 3
        return o
    o.y = (o.y + k) % 1009
    return o


def both(o, p, k):
    o.x = (o.x + k) % 1009
    p.x = (o.x * 2 - p.y) % 1009


def either(o, p, k):
    if k > 2:
        return o
    return p


def made(k):
    if k > 1:
        return Part(k)
    return Part(1, k)


def plain(k):
    class Box:
        def __init__(self, x):
            self.x = x

        def doubled(self):
            return 2 * self.x

    return Part(Box(k).doubled() % 5, k)


def rebound(o, k):
    o.x = (o.x + k) % 1009
    o = Part(100, k)
    o.x += 1
    return o


def crossing(o, p, depth):
    o.x = (o.x + depth) % 1009
    if depth > 0:
        crossing(p, o, depth - 1)
        p.y = (p.y + o.x) % 1009


def building(o, depth):
    new = Part(o.x + 1, depth)
    if depth > 0:
        inner = building(new, depth - 1)
        inner.x += 1
        o.y = (o.y + inner.x) % 1009
    return Part(new.x % 1009, new.y)


def linked(o, k):
    last, steps = o, 0
    while last.near is not None and steps < k % 4:
        last.x = (last.x + steps) % 1009
        last, steps = last.near, steps + 1
    last.near = Part(k, steps)


def counted(table, k):
    table["n"] = (table["n"] + k) % 1009
    if k > 3:
        table["m"] = table["n"]
    return table


def put(row, k):
    row[k % 2] = (row[0] + k) % 1009


def placed(w, o):
    w.b = o
    w.n = (w.n + o.x) % 1009


@pcbatch.autobatch
def main(n, k, x, y, b):
    n, k = n % 13, k % 5
    p, q = Part(n), Part(2, k)
    w, table = Whole(p, Part(k, 3)), {"n": n, "m": 0}
    parts, best = [q, Part(n, k)], None
    rows = [[n, 1], [2, k]]

    def visit(depth):
        table["n"] = (table["n"] + depth) % 1009
        p.x = (p.x + table["n"]) % 1009
        if depth > 0:
            visit(depth - 1)

"""
"""The classes, the helpers, and the objects with which each program begins."""
RESULT = """\
    code = 0
    for part in (p, q, w.a, w.b, parts[0], parts[1]):
        code = (code * 31 + part.x * 7 + part.y) % 100003
    if best is not None:
        code += best.x + (best is p)
    code += rows[0][0] + 2 * rows[0][1] + 3 * rows[1][0] + 5 * rows[1][1]
    return code + w.n + 3 * table["n"] + table["m"], 0.5, p.x == q.x
"""
STATEMENTS = (
    "{name} = Part({number}, {number2})", "{name} = {part}", "{part}.x = {number}",
    "{part}.y += 1", "{part}.add({number})", "{name} = {part}.turn({number})",
    "{part}.descend({number} % 4)", "{name} = {part}.take({part2})", "w.step()", "w.exchange()",
    "{name} = w.renew({number})", "changed({part}, {number})", "{name} = changed({part}, {number})",
    "both({part}, {part2}, {number})", "{name} = either({part}, {part2}, {number})",
    "{name} = made({number})", "{name} = plain({number})", "{name} = rebound({part}, {number})",
    "crossing({part}, {part2}, {number} % 3)", "{name} = building({part}, {number} % 3)",
    "counted(table, {number})", "table = counted(table, {number})", "placed(w, {part})",
    "w.a = {part}", "visit({number} % 3)", "p, q = q, p", "w = Whole({part}, {part2})",
    "parts[0].x = {number}", "w.{side}.add({number})", "best = {part}", "best = None",
    "if best is None or {part}.x < best.x:\n    best = {part}",
    "if best is not None:\n    best.add({number})", "if {part} is {part2}:\n    p.x += 5",
    "p.x = (p.x + parts[{number} % 2].y) % 1009", "put(rows[{number} % 2], {number2})",
    "q.y = (q.y + rows[{number} % 2][1]) % 1009", "{name} = {part} + {part2}", "{name} += {number}",
    "{part} += {number} % 3", "{part}.larger = {number}",
    "p.x = ({part}.larger + {part2}[n]) % 1009",
    "if {part} < {part2}:\n    {part}.y += 1", "{part}[{number}] = {number2}",
    "{part}[{number}] += 1", "q.y = {part}({number}) % 7", "if {part} == {part2}:\n    q.x += 1",
    "if {part} in parts:\n    q.y += 2", "parts.sort(key=lambda o: o.larger)",
    "parts.sort(reverse=n > 4)", "q.y = sorted(parts)[{number} % 2].x",
    "p.y = max(parts, key=lambda o: o.y).x", "p.x += sum(o.x for o in parts) % 5",
    "{part}.near = {part2}", "if {part}.near is not None:\n    {part}.near.x += 1",
    "{name} = {part}.near or {part2}", "{name} = parts[{number} % 2]",
    "parts[{number} % 2] = {part}", "{name} = p if {number} > 2 else q",
    "{name} = Piece({number}, {number2})",
    "parts[{number} % 2] = Piece({number2})", "w.{side} = Piece({number}) if n > 4 else {part}",
    "q.y = (q.y + isinstance({part}, Piece) + 2 * (type({part2}) is Part)) % 1009",
    "if isinstance({part}, Piece):\n    {part}.x += {part}.share",
    "linked({part}, {number})",
)  # fmt: skip
HEADS = (
    "if {number} > {number2}:", "for _ in range({number} % 3):", "for part in parts:",
    "for _ in range(2):",
)  # fmt: skip


class Body(Choices):
    """Writes the statements of a program."""

    def __init__(self, draw: Callable[..., Any]):
        super().__init__(draw)
        self.lines: list[str] = []

    def filled(self, template: str) -> str:
        """A template with names, objects and numbers."""
        parts = ("p", "q", "w.a", "w.b", "parts[0]", "parts[1]")
        numbers = ("n", "k", "3", "1", "p.x", "w.b.y", 'table["n"] % 5')
        return template.format(
            name=self.pick("pq"),
            side=self.pick("ab"),
            part=self.pick(parts),
            part2=self.pick(parts),
            number=self.pick(numbers),
            number2=self.pick(numbers),
        )

    def block(self, indent: str, count: int) -> None:
        """Write some statements, of which a few have blocks of their own."""
        for _ in range(count):
            if len(indent) < 12 and self.number(0, 4) == 4:
                self.lines.append(indent + self.filled(self.pick(HEADS)))
                self.block(indent + "    ", self.number(1, 2))
            else:
                lines = self.filled(self.pick(STATEMENTS)).splitlines()
                self.lines += [indent + line for line in lines]


@st.composite
def sources(draw: Callable[..., Any]) -> str:
    """Strategy: the source text of a random program with an entry `main(n, k, x, y, b)`."""
    body = Body(draw)
    body.block("    ", body.number(1, 7))
    classes = draw(st.sampled_from((DATACLASSES, PLAIN)))
    return HEAD.replace("{classes}", classes) + "\n".join(body.lines) + "\n" + RESULT
