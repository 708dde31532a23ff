"""Dicts as records, nodes with dicts, and tables of functions."""

from __future__ import annotations

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def ledger(n, step):
    """Records in a dict, changed under two names."""
    accounts = {}
    for k in range(n):
        name = "abc"[k * step % 3]
        if name not in accounts:
            accounts[name] = {"moves": 0, "balance": 0.0, "largest": 0}
        account = accounts[name]
        account["moves"] += 1
        account["balance"] += k / 2 - 1
        account["largest"] = max(account["largest"], k)
    total = sum(a["balance"] for a in accounts.values())
    return total, len(accounts), max((a["moves"] for a in accounts.values()), default=-1)


class Node:
    def __init__(self):
        self.children = {}
        self.is_end = False


@pcbatch.autobatch
def prefixes(n, size):
    """A trie of numbers: nodes that have dicts of nodes."""
    root = Node()
    for k in range(size):
        node = root
        for digit in (k * n % 3, k % 2):
            if digit not in node.children:
                node.children[digit] = Node()
            node = node.children[digit]
        node.is_end = True

    def count(node):
        found = 1 if node.is_end else 0
        for child in node.children.values():
            found += count(child)
        return found

    return count(root), len(root.children)


OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "%": lambda a, b: a % (b * b + 1)}


@pcbatch.autobatch
def accumulator(n, start):
    """A table of functions, which a member chooses from, and one of two builtins."""
    x, better = start, max if n % 2 else min
    for k in range(n):
        x = OPERATORS["+-%"[(k + start) % 3]](x * 3, n - k - 2)
    return x, better(x, start)


PROGRAMS = (
    Program(
        "ledger",
        ledger,
        (ints(0, 1, 2, 3, 4, 5, 6, 7), ints(1, 2, 1, 2, 4, 5, 3, 1)),
        tags=("xla",),
    ),
    Program("prefixes", prefixes, (ints(0, 1, 2, 3, 4, 5, 6, 7), ints(1, 2, 3, 0, 2, 3, 4, 3))),
    Program(
        "accumulator",
        accumulator,
        (ints(0, 1, 2, 3, 4, 5, 6, 7), ints(1, 2, 3, 1, 2, 3, 0, 2)),
    ),
)
