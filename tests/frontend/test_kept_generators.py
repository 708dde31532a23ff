"""Generators that variables, attributes, lists and other generators have, and that go on."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from itertools import cycle, islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcbatch.errors import ProgramError
from tests.strangers.fields.generating import fibonacci, primes
from tests.support.extent import sized
from tests.support.members import check, shared
from tests.support.random_programs import is_pythons

N = np.array([1, 2, 3, 5, 8])


def lcg(seed):
    x = seed
    while True:
        x = (x * 7 + 3) % 101
        yield x


def squares(n):
    for i in range(n):
        y = i * i
        yield y
        if y % 3 == 1:
            yield -y


def used_by(g, k):
    total = 0
    for _ in range(k):
        total += next(g)
    return total


def handed_over(n):
    g, h = lcg(n), lcg(n + 3)
    return used_by(g, n) + 3 * used_by(h, 3) + 100 * used_by(g, 2)


def begun_and_left(n):
    s = squares(n)
    t = next(s, -1)
    for v in s:
        t = t * 3 + v
        if v > 10:
            break
    return t * 100 + next(s, 7), sum(s), next(s, 8)


def raises_when_over(n):
    s, total = squares(n % 4), 0
    try:
        while True:
            total = total * 2 + next(s)
    except StopIteration:
        return total


def stops_a_member(n):
    s = squares(2)
    for _ in range(n % 5):
        last = next(s)
    return last


def with_a_list(n):
    ps = primes()
    p = next(ps)
    while p < n * n:
        p = next(ps)
    return p, next(ps)


def nested(n):
    xs = [i * i % 7 for i in range(n)]

    def pairs():
        for i, x in enumerate(xs):
            yield i + 1, x

    it = pairs()
    a = next(it)
    b = next(it, (0, 9))
    return a[1] + 10 * b[1] + b[0] * a[0]


def captured(n):
    rng = lcg(n)

    def roll(sides):
        return next(rng) % sides

    return [roll(6) + roll(4) for _ in range(3)]


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def inserted(root, key):
    if root is None:
        return Node(key)
    if key < root.key:
        root.left = inserted(root.left, key)
    else:
        root.right = inserted(root.right, key)
    return root


def in_order(node):
    if node is not None:
        yield from in_order(node.left)
        yield node.key
        yield from in_order(node.right)


def of_a_tree(n):
    root, v = None, -1
    for k in range(n):
        root = inserted(root, k * 7 % 11)
    it = in_order(root)
    a, b = next(it), next(it, -5)
    for v in in_order(root):
        if v > 4:
            break
    return a * 1000 + b * 20 + v


class Dice:
    def __init__(self, seed, sides):
        self.sides = sides
        self.rng = self.numbers(seed)

    def numbers(self, s):
        while True:
            s = (s * 1103515245 + 12345) % 2147483648
            yield (s >> 16) % self.sides

    def roll(self):
        return next(self.rng) + 1


def of_an_object(n):
    dice = Dice(n, 6)
    return [dice.roll() for _ in range(4)]


def in_a_list(n):
    streams, out = [lcg(i + n) for i in range(3)], []
    for _ in range(2):
        for one in streams:
            out.append(next(one))
    return out


def taken_in_parts(n):
    g = fibonacci()
    first = list(islice(g, n))
    less = [x * 2 for x in takewhile(lambda v: v < n * 20, g)]
    pairs = [k * v for k, v in zip(range(2), g)]
    return sum(first), less, pairs, next(g)


def up(k):
    while k < 20:
        yield k
        k += 3


def in_turn(n):
    g, h = up(n), up(n + 1)
    return [x * y for x, y in zip(g, h)], sum(x - y for x, y in zip(up(n), up(3)))


def even(elements):
    for x in elements:
        if x % 2 == 0:
            yield x


def running(elements):
    total = 0
    for x in elements:
        total += x
        yield total


def in_a_pipeline(n):
    p = running(even(up(n)))
    first = next(p, 0)
    return first, list(p), max(running(even([n, 4, 6])))


def merged(a, b):
    x, y = next(a, None), next(b, None)
    while x is not None and y is not None:
        if x <= y:
            yield x
            x = next(a, None)
        else:
            yield y
            y = next(b, None)


def of_two(n):
    return list(merged(up(n), up(4)))


def in_a_cycle(n):
    players, turns = cycle(["Ann", "Bo", "Cy"]), cycle(range(n))
    return [next(players) for _ in range(n)], [next(turns) for _ in range(4)]


class Bag:
    def __init__(self):
        self.items = []

    def __iter__(self):
        for x in self.items:
            if x % 2:
                yield x


def of_its_own(n):
    bag = Bag()
    for i in range(n):
        bag.items.append(i * 3)
    total = 0
    for x in bag:
        total = total * 2 + x
    return total, list(bag), [x + 1 for x in bag], sum(bag)


class Countdown:
    def __init__(self, k):
        self.k = k

    def __iter__(self):
        return self

    def __next__(self):
        if self.k <= 0:
            raise StopIteration
        self.k -= 2
        return self.k


def of_a_class(n):
    return used_by(Countdown(n + 9), 3), sum(Countdown(n))


def names_of_methods(n):
    def walk(taken):
        resume, state = taken, 0
        for dx, dy in ((0, 1), (1, 0), (0, -1)):
            taken += dx * 2 + dy
            state += 1
            yield taken * state + resume

    w = walk(n)
    return next(w), next(w), list(w)


def finds_an_error(n):
    def halves(k):
        yield 12 // k
        yield 12 // (k - 1)
        yield 1

    h = halves(n)
    try:
        total = next(h) + next(h)
    except ZeroDivisionError:
        total = -1
    return total, next(h, 99)


def bound_on_one_path(n):
    def values(k):
        for i in range(k):
            if i % 2:
                last = i
            yield i
        yield last

    v = values(n)
    return next(v), sum(v)


def doubled(function):
    @functools.wraps(function)
    def taken(*args):
        return [2 * x for x in function(*args)]

    return taken


@doubled
def three_from(n):
    for k in range(3):
        yield k + n


def decorated(n):
    xs = three_from(n)
    return xs[0] + sum(xs)


def goes_on_over_what_it_was(n):
    def rebinding(xs):
        for i, x in enumerate(xs):
            yield i * x
            xs = xs[1:] + [n]

    def named_alike(rows):
        row = [n, 1]
        for k in range(2):
            row = [row[0] + k for row in rows]
            yield sum(row)

    g, h = rebinding([n, 4, 5]), named_alike([[1, n], [2, 3]])
    return next(g), next(h), list(g), list(h)


RIGHT = (
    decorated, goes_on_over_what_it_was,
    handed_over, begun_and_left, raises_when_over, stops_a_member, with_a_list, nested, captured,
    of_a_tree, of_an_object, in_a_list, taken_in_parts, in_turn, in_a_pipeline, of_two, in_a_cycle,
    of_its_own, of_a_class, names_of_methods, finds_an_error, bound_on_one_path,
)  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


@pytest.mark.thorough
@pytest.mark.parametrize("how", [{"strategy": "pc"}, {"strategy": "loop"}, {"strategy": "hybrid"}])
@pytest.mark.parametrize("function", [begun_and_left, of_a_tree], ids=lambda f: f.__name__)
def test_they_are_pythons_in_other_ways(
    function: Callable[[Any], Any], how: dict[str, Any]
) -> None:
    check(shared(function), N, **how)


def changed_meanwhile(n):
    xs = [n, 1]

    def values():
        for x in xs:
            yield x + 1

    v = values()
    first = next(v)
    xs.append(5)
    return first, list(v)


def defined_twice(n):
    def values():
        yield n
        yield 2

    if n > 3:

        def values():
            yield n * 2
            yield 3

    v = values()
    return next(v), next(v)


class Plus:
    def numbers(self, k=1):
        while True:
            yield k


class Times:
    def numbers(self, k=2):
        while True:
            yield k


def of_two_classes(n):
    plus, times = Plus(), Times()
    first, second = plus.numbers(), times.numbers()
    return next(first) * n + next(second)


def of_objects_made_here(n):
    first, second = Plus().numbers(), Times().numbers()
    return next(first) * n + next(second)


def bound_in_a_loop(n):
    total = 0
    for i in range(n):
        y = i * n

        def values():
            while True:
                yield y

        if i == 0:
            v = values()
        total = total * 3 + next(v)
    return total


def with_an_end(n):
    found = []

    def values():
        try:
            yield 1
            yield 2
        finally:
            found.append(n)

    for x in values():
        if n > 2:
            break
    v = values()
    return x, next(v), len(found)


class Box:
    def __init__(self, n):
        self.things = [n, 2, 3]

    def all(self):
        for x in self.things:
            yield x + 1


def replaced_meanwhile(n):
    box = Box(n)
    v = box.all()
    first = next(v)
    box.things = [7, 8, 9]
    return first, list(v)


class Again(Box):
    def __init__(self, n):
        super().__init__(n)
        self.size = n

    def begin_anew(self, n):
        self.__init__(n)


class Outer:
    def __init__(self, n):
        self.box = Box(n)

    def numbered(self):
        for i, x in enumerate(self.box.things):
            yield i + x


def made_by_two_classes(n):
    box, outer = Again(n), Outer(n)
    v, w = box.all(), outer.numbered()
    found = [next(v), next(w)]
    box.things.append(5)
    outer.box.things[2] = n
    return found + [sum(v), sum(w), box.size]


def initialized_meanwhile(n):
    box = Again(n)
    v = box.all()
    first = next(v)
    box.begin_anew(n + 7)
    return first, list(v)


def replaced_around(n):
    outer = Outer(n)
    v = outer.numbered()
    first = next(v)
    outer.box = Box(50)
    return first, list(v)


def over_a_set(n):
    def values():
        seen = {3, n + 10}
        for s in seen:
            yield 1
            seen.add(s + 100)

    v = values()
    return next(v) + next(v)


def sent(n):
    def total():
        x = 0
        while True:
            x += yield x

    g = total()
    next(g)
    return g.send(n)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (changed_meanwhile, "`values` cannot keep `xs`"),
        (
            replaced_meanwhile,
            "cannot keep what a loop goes over(.|\\n)*`Box.things` is assigned",
        ),
        (initialized_meanwhile, "`Again.things` is assigned when the object has been made"),
        (replaced_around, "`Outer.box` is assigned when the object has been made"),
        (over_a_set, "`values` cannot keep `seen`"),
        (defined_twice, "is not used up at once"),
        (of_two_classes, "is not used up at once"),
        (bound_in_a_loop, "is not used up at once"),
        (with_an_end, "is not used up at once"),
        (sent, "is not used up at once"),
    ],
)
def test_others_are_refused(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        shared(function).run(N, jit=False)


@pytest.mark.parametrize("function", [of_objects_made_here, made_by_two_classes])
def test_methods_of_objects(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


class Drawn:
    """A random program with two generators that are kept.

    Args:
      seed: of what is drawn.
    """

    def __init__(self, seed: int):
        self._draw = random.Random(seed)

    def _number(self, names: list[str]) -> str:
        a, b = (self._draw.choice([*names, *"123"]) for _ in "ab")
        return self._draw.choice((a, f"{a} + {b}", f"{a} * 2 + {b}", f"({a} - {b}) % 7"))

    def _several(self, count: int, *given: Any) -> list[str]:
        return [f"    {line}" for _ in range(count) for line in self._statement(*given)]

    def _statement(self, depth: int, names: list[str], loop: str) -> list[str]:
        draw, number = self._draw, self._number(names)
        kind, less = draw.randrange(11 if depth else 6), depth - 1
        if kind < 2:
            return [f"yield {number}"]
        if kind == 2:
            return [f"{draw.choice('ab')} = {number}" if draw.random() < 0.8 else "xs = xs[1:]"]
        if kind == 3:
            return [f"kept.append({number})"]
        if kind == 4:
            return [f"yield {draw.choice(('len', 'sum'))}(kept)", "a += 1"]
        if kind == 5:
            leave = {"": "return", "while": "break"}.get(loop) or draw.choice(("break", "continue"))
            return [f"if {number} == 3:", f"    {leave}"]
        if kind == 6:
            then, other = (self._several(k, less, names, loop) for k in (2, 1))
            return [f"if {number} > 3:", *then, "else:", *other]
        if kind == 7:
            inner = self._several(2, less, [*names, f"i{depth}"], "for")
            return [f"for i{depth} in range({draw.choice(('3', 'a % 4'))}):", *inner]
        if kind == 8:
            source = draw.choice(("kept[:3]", "xs", "[4, 5]", "xs[1:]", "enumerate(xs)"))
            target = f"x{depth}, y{depth}" if "enumerate" in source else f"x{depth}"
            return [
                f"for {target} in {source}:", *self._several(2, less, [*names, f"x{depth}"], "for")
            ]  # fmt: skip
        if kind == 9:
            inner = self._several(1, less, names, "while")
            return [f"w{depth} = 2", f"while w{depth} > 0:", f"    w{depth} -= 1", *inner]
        return [
            "try:", *self._several(1, less, names, loop), "    a = 10 // (b % 3)",
            "except ZeroDivisionError:", *self._several(1, 0, names, ""),
        ]  # fmt: skip

    def source(self) -> str:
        """The text."""
        draw, taken = self._draw, ["g", "h"]
        uses = [
            "total = (total * 3 + next({0}, 7)) % 10007", "found += list(islice({0}, 2))",
            "total += used_by({0}, 3)", "total += sum({0})", "total += max({0}, default=3)",
            "found += [p * q for p, q in zip(g, h)]", "if n % 2:\n    found.append(next({0}, 9))",
            "for v in {0}:\n    total = (total * 3 + v) % 10007\n    if v > 5:\n        break",
            "for k, v in enumerate({0}):\n    found.append(k * v)\n    if k == 3:\n        break",
            "for one in [g, h]:\n    found.append(next(one, 0))", "g = values(3, n, xs)",
            "try:\n    total += next({0})\nexcept StopIteration:\n    total += 100",
            "found += [v for v in takewhile(lambda v: v < 6, {0})]",
        ]  # fmt: skip
        drawn = [draw.choice(uses).format(draw.choice(taken)) for _ in range(draw.randint(2, 4))]
        lines = [line for part in drawn for line in part.split("\n")]
        begin = [
            "xs, total, found = [n, 1, 2], 0, []",
            "g = values(n, 2, xs)",
            "h = values(3, n, xs)",
        ]
        body = self._several(draw.randint(2, 4), 2, ["a", "b"], "")
        return "\n".join([
            "from itertools import islice, takewhile",
            "def used_by(g, k):", "    t = 0", "    for _ in range(k):",
            "        t = (t * 3 + next(g, 5)) % 1009", "    return t",
            "def values(a, b, xs):", "    kept = [1]", "    yield a", *body,
            "def program(n):", *(f"    {line}" for line in (*begin, *lines, "return total, found")),
        ])  # fmt: skip


def test_random_programs_are_pythons_or_refused(tmp_path: Path) -> None:
    how = {
        "refusals": ("cannot keep",),
        "jit": False,
        "strategy": "local",
    }
    seeds, members = range(sized(2, 12, 300)), np.array([0, 1, 3, 4])
    ran = [is_pythons(tmp_path / f"kept_{k}.py", Drawn(k).source(), members, **how) for k in seeds]
    assert sum(ran) >= len(seeds) // 2
