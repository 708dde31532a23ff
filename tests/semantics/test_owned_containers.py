"""Dicts and sets that objects on the heap have as attributes."""

from __future__ import annotations

import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5, 8)


class Node:
    def __init__(self, value=0):
        self.value = value
        self.children = {}
        self.is_end = False


def trie(n):
    root = Node()
    for word in ("cat", "car", "dog", "do", "cart"):
        node = root
        for letter in word:
            if letter not in node.children:
                node.children[letter] = Node()
            node = node.children[letter]
        node.is_end = True
    node = root
    for letter in "cart"[: n % 5]:
        node = node.children[letter]
    return len(root.children), node.is_end, len(node.children)


def tree(n):
    def depth(node):
        best = 0
        for child in node.children.values():
            best = max(best, depth(child))
        return best + 1

    root = node = Node()
    for k in range(n):
        if k % 4 not in node.children:
            node.children[k % 4] = Node(k)
        node = node.children[k % 4]
    return depth(root), node.value, root.value


def which_one_the_member_says(n):
    nodes = [Node(k) for k in range(3)]
    for k in range(n):
        nodes[k % 3].children[k % 2] = k
    return [len(node.children) for node in nodes], sum(nodes[n % 3].children.values())


class Tagged:
    def __init__(self):
        self.tags = set()


def has_sets(n):
    found = []
    for k in range(n):
        one = Tagged()
        one.tags.add(k)
        one.tags.add(k % 3)
        found.append(one)
    found[n // 2].tags |= {100, n}
    return [len(one.tags) for one in found]


def nested_dicts(n):
    root = {}
    for k in range(n):
        node = root
        for bit in (k % 2, k // 2 % 2):
            node = node.setdefault(bit, {})
    return len(root), sum(len(x) for x in root.values())


class Linked:
    def __init__(self, key=0, value=0):
        self.key, self.value = key, value
        self.before = self.after = None


class Cache:
    def __init__(self, room):
        self.room, self.found = room, {}
        self.first, self.last = Linked(), Linked()
        self.first.after, self.last.before = self.last, self.first

    def remove(self, node):
        before, after = node.before, node.after
        before.after, after.before = after, before

    def insert(self, node):
        before, after = self.last.before, self.last
        before.after = after.before = node
        node.after, node.before = after, before

    def get(self, key):
        if key in self.found:
            self.remove(self.found[key])
            self.insert(self.found[key])
            return self.found[key].value
        return -1

    def put(self, key, value):
        if key in self.found:
            self.remove(self.found[key])
        self.found[key] = Linked(key, value)
        self.insert(self.found[key])
        if len(self.found) > self.room:
            oldest = self.first.after
            self.remove(oldest)
            del self.found[oldest.key]


def cache_of_linked_nodes(n):
    """A dict is read before anything is put into it."""
    cache, hits = Cache(3), 0
    for k in range(10):
        key = k * n % 5
        if cache.get(key) == -1:
            cache.put(key, k)
        else:
            hits += 1
    return hits, cache.first.after.key, len(cache.found)


class Bag:
    def __init__(self):
        self.items = {}

    @property
    def load(self):
        return sum(2 * count for _, count in self.items.items())

    def add(self, name):
        if self.load < 6:
            self.items[name] = self.items.get(name, 0) + 1


def is_gone_over_before_it_has_anything(n):
    bag = Bag()
    for k in range(n):
        bag.add("xyz"[k % 3])
    return bag.load, len(bag.items)


ALIKE = (
    trie, tree, which_one_the_member_says, has_sets, nested_dicts, cache_of_linked_nodes,
    is_gone_over_before_it_has_anything,
)  # fmt: skip


@pytest.mark.parametrize("program", ALIKE, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N)
