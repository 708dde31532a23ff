"""Objects that lead to others of their class, or have several names."""

from __future__ import annotations

import dataclasses

import pcbatch
from tests.conformance.programs.record import Program, ints


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key == self.key:
            return self
        if key < self.key:
            self.left = Tree(key) if self.left is None else self.left.insert(key)
        else:
            self.right = Tree(key) if self.right is None else self.right.insert(key)
        return self


def height(tree):
    return 0 if tree is None else 1 + max(height(tree.left), height(tree.right))


@pcbatch.autobatch
def search_trees(n, seed):
    """A tree that grows by a recursive method, and the sum of its keys in order."""
    root = Tree(seed % 100)
    for _ in range(n):
        seed = (seed * 75 + 74) % 65537
        root.insert(seed % 100)
    total, stack, node = 0, [], root
    while stack or node is not None:
        while node is not None:
            stack.append(node)
            node = node.left
        node = stack.pop()
        total = (total * 7 + node.key) % 1000003
        node = node.right
    return height(root), total


@dataclasses.dataclass(eq=False)
class Link:
    value: int
    following: Link | None = None


@pcbatch.autobatch
def turned_lists(n):
    """A linked list, turned round."""
    head = None
    for k in range(n):
        head = Link(k * k, head)
    before = None
    while head:
        head.following, before, head = before, head, head.following
    if before is None:
        return -1
    total = before.value
    while before.following is not None:
        before = before.following
        total = total * 3 + before.value
    return total


class Set:
    def __init__(self, number):
        self.parent = self
        self.size = 1
        self.number = number

    def root(self):
        if self.parent is not self:
            self.parent = self.parent.root()
        return self.parent


@pcbatch.autobatch
def unions(seed, n):
    """Disjoint sets, each of which leads to itself at first, as elements of a list."""
    sets = [Set(k) for k in range(6)]
    apart = 6
    for _ in range(n):
        seed = (seed * 75 + 74) % 65537
        a, b = sets[seed % 6].root(), sets[seed // 6 % 6].root()
        if a is not b:
            if a.size < b.size:
                a, b = b, a
            b.parent = a
            a.size += b.size
            apart -= 1
    return apart, max(s.root().size for s in sets), sets[3].root().number


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def withdraw(self, amount):
        self.balance -= amount
        self.log.append(amount)
        if self.balance < 0:
            raise ValueError("not enough")


@pcbatch.autobatch
def accounts(n):
    """One of two objects, chosen by the member, is changed by a call that may raise."""
    first, second = Account(20), Account(30)
    failed = 0
    for k in range(n):
        richer = first if first.balance > second.balance else second
        try:
            richer.withdraw(k * k)
        except ValueError:
            richer.balance += 3 * k * k
            failed += 1
    return first.balance, second.balance, sum(first.log), failed


PROGRAMS = (
    Program(
        "search_trees",
        search_trees,
        (ints(0, 3, 9, 8, 1, 5, 2, 7), ints(5, 77, 2024, 31, 8, 9, 100, 4)),
        plain="python",
        tags=("xla",),
    ),
    Program("turned_lists", turned_lists, (ints(0, 3, 5, 8, 2, 7, 1, 6),), plain="python"),
    Program(
        "unions",
        unions,
        (ints(1, 7, 99, 2024, 5, 6, 11, 12), ints(0, 3, 8, 5, 2, 1, 4, 7)),
        plain="python",
        tags=("xla",),
    ),
    Program("accounts", accounts, (ints(0, 3, 5, 8, 2, 7, 4, 6),), plain="python"),
)
