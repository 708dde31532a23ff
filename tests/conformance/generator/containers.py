"""Random programs with records and objects in containers of containers.

`main(n, k, x, y, b)` has dicts of texts, or objects, in variables, in a list that grows, in a dict
and in lists that a dict keeps. The program gives elements other names, puts them into other
containers, changes them under each name, hands them to functions and recursions, and reads all of
them at the end. Every program terminates, and integers stay small.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.conformance.generator.choices import Choices

CLASS = """\
class Item:
    def __init__(self, a, b):
        self.a, self.b = a, b


"""
HEAD = """\
import collections

import pcbatch


{classes}def changed(item, k):
    {item.a} = ({item.a} + k) % 1009
    if k > 2:
        {item.b} = k
    return item


def either(item, other, k):
    if {item.a} > k:
        return item
    return other


def spread(rows, k):
    if k > 0:
        rows[k % len(rows)][0] += k
        spread(rows, k - 1)


def tallied(*values):
    total = len(values)
    for value in values:
        total = (total * 3 + value) % 1009
    return total


class Tally:
    def __init__(self, *values):
        self.values = list(values)
        while len(self.values) > 2 and self.values[-1] % 2:
            self.values.pop()


def gathered(values):
    total = 0
    for value in values:
        total = (total * 5 + value) % 1009
    return total


@pcbatch.autobatch
def main(n, k, x, y, b):
    n, k, t = n % 13, k % 5, 0
    rows = [{new(0, n)}, {new(k, 1)}, {new(n, k)}]
    table = {0: rows[0], 1: rows[-1]}
    p, q = {new(5, 6)}, rows[1]
"""
"""The class, the helpers, and the containers of elements with which each program begins."""
OTHERS = {
    "grid": ("grid = [[n, 1], [2, k]]", "sum(grid[0]) + 3 * sum(grid[-1])"),
    "lists": ("lists = {0: [n, 1], 1: [k, 2, 3]}", "sum(lists[0]) + 3 * sum(lists[1])"),
    "waiting": ("waiting = collections.deque([n, k])", "sum(waiting)"),
    "seen": ("seen = {n % 4, 1}", "11 * len(seen)"),
    "counts": ("counts = collections.defaultdict(int)", "sum(counts.values()) + 2 * len(counts)"),
}
"""Containers of numbers, of which a program has two: how each is made, and read at the end."""
RESULT = """\
    for item in rows:
        t = (t * 31 + {item.a} * 7 + {item.b}) % 100003
    t = (t + {p.a} * 3 + {q.b} * 5 + {table[0].a}) % 100003
    return t, 0.5, p is q, [{item.a} for item in rows]
"""
STATEMENTS = (
    "{name} = rows[{index}]", "{name} = table[{number} % 2]", "p, q = q, p", "q = p",
    "{name} = {new}", "{name.field} += {small}", "{name.field} = {small}",
    "{rows.field} = {small}", "{table.field} += 1", "rows[{index}] = {name}",
    "rows.append({name})", "rows.append({new})", "table[{number} % 2] = {name}",
    "table[{number} % 3] = {name}", "{name} = table.get({number} % 3, {name2})",
    "changed({name}, {small})", "{name} = changed(rows[{index}], {small})",
    "{name} = either({name2}, rows[{index}], {small})", "t += {name.field} % 5",
    "grid[{number} % 2][{number2} % 2] = {small}", "row = grid[{number} % 2]\nrow[0] += {small}",
    "grid.append([{small}, 1])", "grid[{number} % 2] = [{small}, {small2}]",
    "spread(grid, {number} % 4)", "lists[{number} % 2].append({small})",
    "row = lists[{number} % 2]\nrow[{number2} % 2] += 1", "lists[{number} % 3] = [{small}]",
    "lists.setdefault({number} % 3, []).append({small})", "t += len(lists[{number} % 2])",
    "waiting.append({small})", "if waiting:\n    t += waiting.popleft()",
    "waiting.rotate({number} % 3 - 1)", "seen.add({number} % 6)", "seen.discard({number} % 4)",
    "seen = seen | {{{number} % 7}}", "if {number} % 5 in seen:\n    t += 1",
    "counts[{number} % 4] += {small}", "counts[{rows.field} % 3] += 1",
    "t += counts.get({number} % 4, 2)", "counts.pop({number} % 4, None)",
    "if rows[{index}] is {name}:\n    t += 5", "rows.sort(key=lambda item: {item.a})",
    "rows.reverse()", "if len(rows) > 2:\n    {name} = rows.pop()",
    "t += max({item.b} for item in rows)",
    "best = min(rows, key=lambda item: ({item.b}, {item.a}))\n{best.a} += 1",
    "t += sum(sum(row) for row in grid)", "for key, item in table.items():\n    {item.a} += key",
    "for i, item in enumerate(rows):\n    {item.b} = ({item.b} + i) % 1009",
    "first, *rest = rows\n{first.a} += len(rest)",
    "copied = rows[:]\ncopied[0] = {name}\nt += {copied[0].a}",
    "t += tallied(*lists[{number} % 2], {small})", "t += tallied({small}, *waiting)",
    "t += tallied(*counts) + sum(Tally(*seen, {small}).values)",
    "t += sum(Tally(*lists[{number} % 2]).values) + len(Tally(*table).values)",
    "t += gathered(v * {small} % 13 for v in lists[{number} % 2])",
    "t += gathered(row[0] + {small} for row in grid)",
    "key = None if {number} % 3 == 1 else {number2} % 4\nif key in seen:\n    t += 3",
    "key = None if {number} % 3 == 1 else {number2} % 4\nt += counts.get(key, {small})",
    "other = [row[:] for row in grid]\nother[0][0] += 1\nt += grid[0][0]",
)  # fmt: skip
HEADS = (
    "if {number} > {number2}:", "for _ in range({number} % 3):", "for item in rows[:4]:",
    "if {name.field} % 2:",
)  # fmt: skip
BLANKS = ("a", "b")


class Body(Choices):
    """Writes the statements of a program.

    Args:
      draw: makes every choice.
      is_record: whether the elements are dicts of texts, rather than objects.
    """

    def __init__(self, draw: Callable[..., Any], is_record: bool):
        super().__init__(draw)
        self.is_record = is_record
        self.others = {self.pick(OTHERS), self.pick(OTHERS)}
        missing = re.compile("|".join(OTHERS.keys() - self.others))
        self.statements = [text for text in STATEMENTS if not missing.search(text)]
        self.lines = [f"    {OTHERS[name][0]}" for name in sorted(self.others)]

    def field(self, item: str, name: str) -> str:
        """How a value of an element is written."""
        return f'{item}["{name}"]' if self.is_record else f"{item}.{name}"

    def new(self, a: str, b: str) -> str:
        """How a new element is written."""
        return f'{{"a": {a}, "b": {b}}}' if self.is_record else f"Item({a}, {b})"

    def fixed(self, text: str) -> str:
        """A text in which fields of named elements stand as `{item.a}`."""
        for item in ("item", "best", "first", "copied[0]", "p", "q", "table[0]"):
            for name in BLANKS:
                text = text.replace(f"{{{item}.{name}}}", self.field(item, name))
        for a, b in (("0", "n"), ("k", "1"), ("n", "k"), ("5", "6")):
            text = text.replace(f"{{new({a}, {b})}}", self.new(a, b))
        return text

    def filled(self, template: str) -> str:
        """A template with names, fields and numbers."""
        numbers = ("n", "k", "3", "1", "t", "(n + k)")
        small = ("n", "k", "7", "1", "t % 9")
        name, index = self.pick("pq"), self.pick(("n % 3", "0", "k % 3", "-1", "t % 3"))
        choices = {
            "{name}": lambda: name,
            "{name2}": lambda: self.pick("pq"),
            "{index}": lambda: index,
            "{number}": lambda: self.pick(numbers),
            "{number2}": lambda: self.pick(numbers),
            "{small}": lambda: self.pick(small),
            "{small2}": lambda: self.pick(small),
            "{new}": lambda: self.new(self.pick(small), self.pick(small)),
            "{name.field}": lambda: self.field(name, self.pick(BLANKS)),
            "{rows.field}": lambda: self.field(f"rows[{index}]", self.pick(BLANKS)),
            "{table.field}": lambda: self.field("table[0]", self.pick(BLANKS)),
        }
        text = self.fixed(template)
        for blank, drawn in choices.items():
            if blank in text:
                text = text.replace(blank, drawn())
        return text.replace("{{", "{").replace("}}", "}")

    def block(self, indent: str, count: int) -> None:
        """Write some statements, of which a few have blocks of their own."""
        for _ in range(count):
            if len(indent) < 12 and self.number(0, 4) == 4:
                self.lines += [indent + line for line in self.filled(self.pick(HEADS)).splitlines()]
                self.block(indent + "    ", self.number(1, 2))
            else:
                lines = self.filled(self.pick(self.statements)).splitlines()
                self.lines += [indent + line for line in lines]


@st.composite
def sources(draw: Callable[..., Any]) -> str:
    """Strategy: the source text of a random program with an entry `main(n, k, x, y, b)`."""
    body = Body(draw, draw(st.booleans()))
    body.block("    ", body.number(2, 8))
    body.lines += [f"    t += {OTHERS[name][1]}" for name in sorted(body.others)]
    head = HEAD.replace("{classes}", "" if body.is_record else CLASS)
    return body.fixed(head) + "\n".join(body.lines) + "\n" + body.fixed(RESULT)
