"""Random programs of which gradients are taken: lists that grow, and objects on a heap.

`main(n, k, x, y)` takes two int64 and two float64 members and gives a float. It keeps floats in
variables, in a list, in a dict, in a chain of nodes and in a search tree, changes them in loops, in
recursions, in helpers and in a nested function, and reads them again. Every program terminates, and
floats stay of moderate size. Plain Python runs it on tensors, too, under TensorFlow's tape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from tests.conformance.generator.choices import Choices

ARGS = (
    np.array([0, 1, 2, 5, 7, 3]),
    np.array([3, 0, 1, 2, 4, -2]),
    np.array([0.3, -1.25, 0.0, 0.9, -0.4, 2.0]),
    np.array([0.7, 0.2, -0.6, 1.1, 0.05, -0.8]),
)
HEAD = """\
import dataclasses

import tensorflow as tf

import pcbatch


def sin(u):
    return tf.sin(tf.convert_to_tensor(u, tf.float64))


def cos(u):
    return tf.cos(tf.convert_to_tensor(u, tf.float64))


def tanh(u):
    return tf.tanh(tf.convert_to_tensor(u, tf.float64))


class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

    def scale(self, by):
        self.value = self.value * by
        return self


class Tree:
    def __init__(self, key):
        self.key = key
        self.count = 1.0
        self.left = None
        self.right = None


@dataclasses.dataclass
class Part:
    a: float
    b: float = 0.5

    def turn(self, u):
        self.a, self.b = self.b * u, self.a
        return self


def insert(root, key):
    if root is None:
        return Tree(key)
    root.count = root.count + 0.25 * key
    if key < root.key:
        root.left = insert(root.left, key)
    else:
        root.right = insert(root.right, key)
    return root


def weight(root, depth):
    if root is None:
        return 0.1
    return tanh(root.key * root.count + weight(root.left, depth + 1) * depth) * weight(
        root.right, depth + 1
    ) + root.key


def walk(node, steps):
    if node is None or steps == 0:
        return 1.0
    return sin(node.value) + 0.5 * node.value * walk(node.next, steps - 1)


def power(u, depth):
    if depth <= 0:
        return u
    if depth % 2:
        return tanh(u * power(u, depth - 1))
    u = power(cos(u), depth - 2)
    return u + 0.1 * u * u


def put(xs, u):
    if u > 0.1:
        xs.append(0.5 * u)
    else:
        xs.append(u * u)


def settled(u, limit):
    rounds = 0
    while abs(u) > 0.2 and rounds < limit:
        u = u * 0.7 + 0.05 * sin(u)
        rounds += 1
    return u


def folded(xs):
    total = 0.0
    for w in xs:
        total = total * 0.8 + w
    return total


def clipped(u):
    if u > 1.5:
        return 1.5 - 0.1 / u
    if u < -1.5:
        return u / (1.0 + u * u)
    return u


def linked(node, u):
    while node.next is not None:
        u = u * 0.9 + 0.1 * node.value
        node = node.next
    node.next = Node(u)
"""
"""The classes and the helpers."""
ENTRY = """\

@pcbatch.autobatch
def main(n, k, x, y):
    u, v = 0.5 * x, x * y

    def note(w):
        nonlocal u
        u = tanh(u + 0.3 * w)
        return u * w

"""
"""What each program begins with."""


class Feature(NamedTuple):
    """Where a program keeps floats.

    Attributes:
      begin: the statement that makes it.
      floats: expressions that read it.
      tests: conditions.
      statements: that change it.
      result: a float that depends on all of it.
    """

    begin: str
    floats: tuple[str, ...]
    tests: tuple[str, ...]
    statements: tuple[str, ...]
    result: str


NUMBERS = Feature(
    "pass",
    ("x", "y", "u", "v", "0.75", "-1.25"),
    ("n > 2", "k < 1", "u > v", "x * y > 0.0"),
    (
        "{name} = {float}", "{name} = {float} * {float2}",
        "{name} = sin({float}) + 0.5 * {float2}", "{name} = tanh({float} - {float2})",
        "{name} = {float} / (1.0 + {float2} * {float2})", "{name} = power({float}, {number} % 4)",
        "{name} = settled({float}, {number})", "{name} = clipped({float} + {float2})",
        "{name} = note({float})", "note({float})", "u, v = v, u",
        "{name} = max({float}, {float2})", "{name} = {float} if {test} else {float2}",
        "for i in range(3):\n    if i == k:\n        break\n    u = 0.5 * u + {float}",
        "for i in range(n):\n    if i % 3 == 1:\n        continue\n    v = sin(v * {float})",
    ),
    "u + v",
)  # fmt: skip
LISTS = Feature(
    "xs = [x]",
    ("xs[-1]", "xs[0]"),
    ("len(xs) > 2", "xs[0] > y"),
    (
        "xs.append({float})", "put(xs, {float})", "xs[{number} % len(xs)] = {float}",
        "xs[-1] = xs[-1] * {float}", "{name} = xs.pop() if len(xs) > 1 else {float}",
        "xs = [w * {float} for w in xs]", "xs.insert(0, {float})", "{name} = tanh(sum(xs))",
        "xs.extend([{float}, {float2}])", "xs = xs[1:] + [{float}]", "xs.reverse()", "xs.sort()",
        "if {test}:\n    xs.append({float})", "{name} = 0.5 * max(xs)",
        "for w in xs[:4]:\n    {name} = sin(w * {float})",
    ),
    "folded(xs)",
)  # fmt: skip
CHAINS = Feature(
    "head = Node(y)",
    ("head.value",),
    ("head.next is None",),
    (
        "head = Node({float}, head)", "head.value = {float}", "head.scale({float})",
        "head = Node({float}).scale({float2})", "linked(head, {float})",
        "{name} = sin(head.value)",
        "if head.next is not None:\n    head.next.value = head.next.value * {float}",
        "if head.next is not None:\n    head = head.next",
        "{name} = 0.5 * walk(head, {number} % 5)",
        "for i in range({number} % 4):\n    head = Node({float} * 0.5, head)",
    ),
    "walk(head, 6)",
)  # fmt: skip
TREES = Feature(
    "root = Tree(0.1 * x)",
    ("root.key", "root.count"),
    ("root.left is None",),
    (
        "root = insert(root, {float})", "root.key = root.key * {float}", "root.count = {float}",
        "if root.left is not None:\n    {name} = root.left.key\n    root.left.count = {float}",
        "for i in range({number} % 4):\n    root = insert(root, 0.3 * i - {float})",
    ),
    "weight(root, 0)",
)  # fmt: skip
PARTS = Feature(
    'p, q, table = Part(x), Part(y, 0.25), {"a": u, "b": 1.0}',
    ("p.a", "q.b", 'table["a"]'),
    ("p.a > q.a", "p is q"),
    (
        "{part}.a = {float}", "{part}.b = {part2}.a * {float}", "{part} = {part2}.turn({float})",
        "p, q = q, p", "{part} = Part({float}, {float2})", "{part}.turn({float})",
        'table["{side}"] = {float}', 'table["a"], table["b"] = table["b"], {float}',
        "if p is q:\n    {name} = {float}", "if {test}:\n    {part} = {part2}",
        "while {part}.a > 0.4:\n    {part}.a = 0.5 * {part}.a - 0.01",
    ),
    'p.a + q.b * q.a - p.b + 0.5 * table["a"] * table["b"]',
)  # fmt: skip
FEATURES = (LISTS, CHAINS, TREES, PARTS)
HEADS = ("if {test}:", "for i in range({number} % 4):", "for i in range(n):")


class Body(Choices):
    """Writes the statements of a program.

    Args:
      draw: makes every choice.
      features: what it has.
    """

    def __init__(self, draw: Callable[..., Any], features: tuple[Feature, ...]):
        super().__init__(draw)
        self._floats = [text for f in features for text in f.floats]
        self._tests = [text for f in features for text in f.tests]
        self._statements = [text for f in features for text in f.statements]
        self.lines: list[str] = []

    def filled(self, template: str) -> str:
        """A template with names, floats, numbers and conditions."""
        return template.format(
            name=self.pick("uv"),
            side=self.pick("ab"),
            part=self.pick("pq"),
            part2=self.pick("pq"),
            float=self.pick(self._floats),
            float2=self.pick(self._floats),
            number=self.pick(("n", "k", "3", "1")),
            test=self.pick(self._tests),
        )

    def block(self, indent: str, count: int) -> None:
        """Write some statements, of which a few have blocks of their own."""
        for _ in range(count):
            if len(indent) < 12 and self.number(0, 4) == 4:
                self.lines.append(indent + self.filled(self.pick(HEADS)))
                self.block(indent + "    ", self.number(1, 3))
            else:
                lines = self.filled(self.pick(self._statements)).splitlines()
                self.lines += [indent + line for line in lines]


@st.composite
def sources(draw: Callable[..., Any]) -> str:
    """Strategy: the source text of a random program with an entry `main(n, k, x, y)`."""
    others = draw(st.lists(st.sampled_from(FEATURES), min_size=1, max_size=2, unique=True))
    features = (NUMBERS, *others)
    body = Body(draw, features)
    body.lines += [f"    {feature.begin}" for feature in others]
    body.block("    ", body.number(2, 9))
    result = " + ".join(feature.result for feature in features)
    return HEAD + ENTRY + "\n".join([*body.lines, f"    return {result}"]) + "\n"
