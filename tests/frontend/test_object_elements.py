"""Objects whose `__iter__` returns an iterator of something else; what takes all elements."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pcbatch.errors import ProgramError
from tests.support.members import check, shared

N = np.array([0, 1, 2, 3, 5, 8])


class Bag:
    def __init__(self):
        self.items = []

    def filled(self, n):
        for i in range(n):
            self.items.append((i * 5 + n) % 7)
        return self


class Plain(Bag):
    def __iter__(self):
        return iter(self.items)

    def folded(self):
        total = 0
        for x in self:
            total = total * 3 + x
        return total + sum(self) + sum(y for y in self if y > 2) + len([*self])

    def left_over(self):
        total = 0
        for x in self:
            total = total * 2 + x
            if x % 3 == 0:
                self.items.pop()
        return total, self.items


class InOrder(Bag):
    def __iter__(self):
        return iter(sorted(self.items))


class Squares(Bag):
    def __iter__(self):
        return (x * x for x in self.items)


class Mapped(Bag):
    def __iter__(self):
        return map(abs, self.items)


class Pairs(Bag):
    def __iter__(self):
        return zip(self.items, self.items[1:])


class EitherWay(Bag):
    def __init__(self, turned):
        super().__init__()
        self.turned = turned

    def __iter__(self):
        if self.turned:
            return reversed(self.items)
        return iter(self.items)


class Chained(Bag):
    def __iter__(self):
        return itertools.chain(self.items, [1, 2], self.items)


class Doubled(Plain):
    def __iter__(self):
        return (2 * x for x in super().__iter__())


class InVariable(Bag):
    def __iter__(self):
        it = iter(self.items)
        return it


class Around:
    def __init__(self, inner):
        self.inner = inner

    def __iter__(self):
        return iter(self.inner)


class Asking(Around):
    def __iter__(self):
        return self.inner.__iter__()


class Odd(Bag):
    def walk(self):
        for x in self.items:
            if x % 2:
                yield x

    def __iter__(self):
        return self.walk()


class Cursor:
    def __init__(self, bag):
        self.bag, self.k = bag, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= len(self.bag.items):
            raise StopIteration
        self.k += 1
        return self.bag.items[self.k - 1]


class WithCursor(Bag):
    def __iter__(self):
        return Cursor(self)


class Indexed(Bag):
    def __getitem__(self, k):
        if k >= len(self.items):
            raise IndexError
        return self.items[k] * 2


def used(bag):
    total = 0
    for x in bag:
        total = total * 3 + x
    return total, [x + 1 for x in bag], sum(bag), sorted(bag), len(list(bag)), list(bag)


def plain(n):
    return used(Plain().filled(n))


def in_order(n):
    return used(InOrder().filled(n))


def squares(n):
    return used(Squares().filled(n))


def mapped(n):
    return used(Mapped().filled(n))


def either_way(n):
    return used(EitherWay(n % 2 == 1).filled(n))


def chained(n):
    return used(Chained().filled(n))


def doubled(n):
    return used(Doubled().filled(n))


def in_variable(n):
    return used(InVariable().filled(n))


def around(n):
    return used(Around(Plain().filled(n)))


def asking(n):
    return used(Asking(Squares().filled(n)))


def walking(n):
    return used(Odd().filled(n))


def with_cursor(n):
    return used(WithCursor().filled(n))


def by_index(n):
    return used(Indexed().filled(n))


def pairs(n):
    bag = Pairs().filled(n)
    total = 0
    for x, y in bag:
        total = total * 3 + x - y
    return total, [x * y for x, y in bag], len(list(bag))


class Table:
    def __init__(self):
        self.counts = {}

    def __iter__(self):
        return iter(self.counts.items())


class Keys(Table):
    def __iter__(self):
        return iter(self.counts)

    def __getitem__(self, key):
        return self.counts[key]


def of_dicts(n):
    table, keys = Table(), Keys()
    for i in range(n):
        table.counts[i * i % 5] = table.counts.get(i * i % 5, 0) + 1
        keys.counts[i * i % 5] = i
    total = 0
    for k, count in table:
        total = total * 5 + k + count
    for k in keys:
        total = total * 5 + keys[k]
    return total, sum(c for _, c in table), [k for k, _ in table], sum(keys[k] for k in keys)


def taken_apart(n):
    bag, other = Plain().filled(n + 1), Plain().filled(n)
    first, *rest = bag
    found = []
    found.extend(bag)
    total = 0
    for i, x in enumerate(bag):
        total += i * x
    for x, y in zip(bag, other):
        total = total * 2 + x - y
    some = any(x > 4 for x in bag), all(x < 6 for x in bag), any(other), 3 in bag, 5 not in bag
    made = [*bag, 1], len((*bag, 5)), len({*bag}), list(map(abs, bag)), list(filter(None, bag))
    last = min(bag), max(bag, default=9), Counter(bag)[3], len(set(bag))
    return first, rest, found, total, some, made, last


def asked(n):
    bag = Plain().filled(n + 2)
    it = iter(bag)
    first, total = next(it), 0
    for x in it:
        total = total * 3 + x
    found = next((x for x in bag if x > 3), -1)
    for x in bag:
        if x > 4:
            break
        total += x
    return first, total, next(iter(bag)), found


def by_methods(n):
    bag = Plain().filled(n)
    return bag.folded(), bag.left_over()


def appended(n):
    bag = Plain().filled(n)
    total = 0
    for x in bag:
        total += x
        if len(bag.items) < 12:
            bag.items.append(x + 1)
    return total


def replaced(n):
    bag = Plain().filled(n + 1)
    total = 0
    for x in bag:
        bag.items = bag.items[:2]
        total = total * 2 + x
    return total, bag.items


class Link:
    def __init__(self, value, after):
        self.value, self.after, self.items = value, after, []

    def __iter__(self):
        return iter(self.items)


def on_the_heap(n):
    link = None
    for i in range(n):
        link = Link(i, link)
        for k in range(i):
            link.items.append(k * i)
    total = 0
    while link is not None:
        for x in link:
            if x == 12:
                break
            if len(link.items) < 6:
                link.items.append(x + 4)
            total += x
        total += sum(link) + sum(x for x in link) + (6 in link)
        link = link.after
    return total


class Tree:
    def __init__(self, value):
        self.value, self.kids = value, []

    def __iter__(self):
        return iter(self.kids)


def grown(n):
    tree = Tree(n)
    if n > 0:
        tree.kids.append(grown(n - 1))
        if n % 2:
            tree.kids.append(grown(n - 2))
    return tree


def total_of(tree):
    return tree.value + sum(total_of(kid) for kid in tree)


def depth_of(tree):
    best = 0
    for kid in tree:
        best = max(best, depth_of(kid))
    return best + 1


def in_recursions(n):
    tree = grown(n % 5)
    return total_of(tree), depth_of(tree), len(list(tree))


class Parts(Bag):
    def __iter__(self):
        return iter([12 // x for x in self.items])


def caught(n):
    bag = Parts().filled(n)
    total = 0
    try:
        for x in bag:
            total += x
    except ZeroDivisionError:
        total = -1
    return total


def stops_a_member(n):
    total = 0
    for x in Parts().filled(n):
        total += x
    return total


class Contains(Plain):
    def __contains__(self, x):
        return x == 99 or x in self.items


def contains(n):
    bag = Contains().filled(n)
    return 99 in bag, 4 in bag, sum(x for x in bag if x in bag), 5 not in bag


class Turned(Bag):
    def __reversed__(self):
        return reversed(self.items)


class TurnedBy(Bag):
    def __reversed__(self):
        for k in range(len(self.items)):
            yield self.items[-1 - k]


def turned(n):
    bag, other = Turned().filled(n), TurnedBy().filled(n)
    total = 0
    for x in reversed(bag):
        total = total * 3 + x
    for x in reversed(other):
        total = total * 3 + x
    return total, list(reversed(bag))


class Given(Bag):
    def __iter__(self):
        for x in self.items:
            yield x + 1

    def changing(self, x):
        self.items[-1] += 1
        return x

    def cost(self, x):
        if x > 3:
            return 1
        return 2


def sees_changes(n):
    bag = Given().filled(n + 1)
    return sum([bag.changing(x) for x in bag]), bag.items


def calls_methods(n):
    bag = Given().filled(n + 1)
    costs = [bag.cost(x) for x in bag]
    return sum(bag.cost(x) for x in bag), max(bag.cost(x) for x in bag), costs


class Spans:
    def __init__(self):
        self.starts = []
        self.ends = []

    def add(self, lo, hi):
        i = bisect.bisect_left(self.ends, lo)
        self.starts.insert(i, lo)
        self.ends.insert(i, hi)

    def remove(self, lo, hi):
        kept = []
        for a, b in self:
            if b <= lo or hi <= a:
                kept.append((a, b))
                continue
            if a < lo:
                kept.append((a, lo))
            if hi < b:
                kept.append((hi, b))
        self.starts = [a for a, _ in kept]
        self.ends = [b for _, b in kept]

    def __iter__(self):
        yield from map(tuple, zip(self.starts, self.ends))


def assigned_behind_a_loop(n):
    spans = Spans()
    for k in range(n):
        spans.add(k * 10, k * 10 + 7)
        if k % 3 == 1:
            spans.remove(k * 10 - 5, k * 10 + 3)
    crossed = sum(1 for (a, b), (c, _) in itertools.product(spans, spans) if a <= c < b)
    return sum(b - a for a, b in spans), len(list(spans)), crossed


class Leaf:
    def __init__(self, keys=(), children=()):
        self.keys = list(keys)
        self.children = list(children)

    def __iter__(self):
        if not self.children:
            yield from self.keys
            return
        for child, key in zip(self.children, self.keys):
            yield from child
            yield key
        yield from self.children[-1]


def split(node):
    middle = len(node.keys) // 2
    right, left = Leaf(node.keys[middle + 1 :]), Leaf()
    key = node.keys[middle]
    left.keys = node.keys[:middle]
    node.keys = [key]
    node.children = [left, right]


def assigned_elsewhere(n):
    root = Leaf()
    for i in range(n + 2):
        root.keys.append(i * 3)
    if n > 2:
        split(root)
    return list(root)


RIGHT = (
    plain, in_order, squares, mapped, either_way, chained, doubled, in_variable, around, asking,
    walking, with_cursor, by_index, pairs, of_dicts, taken_apart, asked, by_methods, appended,
    replaced, on_the_heap, in_recursions, caught, stops_a_member, contains, turned, sees_changes,
    calls_methods, assigned_behind_a_loop, assigned_elsewhere,
)  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_they_are_pythons(function: Callable[[Any], Any]) -> None:
    check(shared(function), N, jit=False, strategy="local")


@pytest.mark.thorough
@pytest.mark.parametrize("how", [{"strategy": "pc"}, {"strategy": "loop"}, {"strategy": "hybrid"}])
@pytest.mark.parametrize(
    "function", [plain, of_dicts, on_the_heap, assigned_elsewhere], ids=lambda f: f.__name__
)
def test_they_are_pythons_in_other_ways(
    function: Callable[[Any], Any], how: dict[str, Any]
) -> None:
    check(shared(function), N, **how)


class Fractions(Bag):
    def __iter__(self):
        return (12 // x for x in self.items)


def left_early(n):
    total = 0
    for x in Fractions().filled(n):
        if x > 3:
            break
        total += x
    return total


def caught_later(n):
    found = []
    try:
        for x in Fractions().filled(n):
            found.append(x)
    except ZeroDivisionError:
        found.append(-1)
    return found


class NoIterator(Bag):
    def __iter__(self):
        return self.items


def of_no_iterator(n):
    return sum(Plain().filled(n)) + sum(NoIterator().filled(n))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (left_early, "makes elements when they are asked for"),
        (caught_later, "makes elements when they are asked for"),
        (of_no_iterator, "non-iterator of type"),
    ],
)
def test_others_are_refused(function: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        shared(function).run(N, jit=False)
