"""Lists that calls are handed by their elements: where two copies could differ, it is refused.

A recursion whose calls make lists, and hand them on, has one type only if a callee gets what a list
holds and makes a list of its own. That is Python's meaning as long as no change of one of the two
can be seen in the other: the caller's is in use no more, or neither is changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from pcbatch import ir
from pcbatch.infer.allocation import Copy, held
from pcbatch.infer.domain import BufferRef, Leaf, Static, Value
from pcbatch.infer.kinds import is_list
from pcbatch.infer.list_values import child_values, data_of
from pcbatch.semantics.lists.fresh import NOWHERE, Origins
from pcbatch.semantics.lists.handed import Handed, receive
from pcbatch.semantics.pytree import Node, Tree, nodes

RECEIVED = "received"
"""The block that a function begins with if it is handed lists by their elements."""

Slot = tuple[str, str, int]
"""A list that a specialization is handed: its name, the parameter, which of the lists in it."""


@dataclasses.dataclass
class Handing:
    """What is handed over in a program.

    Attributes:
      parameters: the code of a function and the name of a parameter.
      texts: the same, of parameters whose texts are the member's.
      made: by slot, where the lists are made that it may be.
      given: by slot, the rooms of the lists that it may be.
      received: by slot, the rooms of the callee's own.
      copied: the rooms of a caller's copies, and those of what they are copies of.
      twice: rooms of lists of which the caller may go on to use its own.
    """

    parameters: set[tuple[Any, str]] = dataclasses.field(default_factory=set)
    texts: set[tuple[Any, str]] = dataclasses.field(default_factory=set)
    made: dict[Slot, Origins] = dataclasses.field(default_factory=dict)
    given: dict[Slot, set[str]] = dataclasses.field(default_factory=dict)
    received: dict[Slot, set[str]] = dataclasses.field(default_factory=dict)
    copied: set[tuple[str, str]] = dataclasses.field(default_factory=set)
    twice: set[str] = dataclasses.field(default_factory=set)

    def begin(self) -> None:
        """Forget what another run of inference has found, but for the parameters and the texts."""
        self.made, self.given, self.received = {}, {}, {}
        self.copied, self.twice = set(), set()

    def takes(self, code: Any, name: str) -> bool:
        """Whether a parameter is handed lists by their elements."""
        return (code, name) in self.parameters

    def give(self, slot: Slot, rooms: Iterable[str], made: Origins, in_use: set[str]) -> None:
        """Take note of a list that a call hands over.

        Args:
          slot: what takes it.
          rooms: where it may be.
          made: where it may be made.
          in_use: the rooms of lists that may be read or changed during the call, or after it.
        """
        rooms = set(rooms)
        self.given.setdefault(slot, set()).update(rooms)
        self.made[slot] = self.made.get(slot, NOWHERE) | made
        self.twice |= rooms if rooms & in_use else set()

    def copy(self, copies: Iterable[Copy]) -> None:
        """Take note of what a caller copies from its callee."""
        for copy in copies:
            new = copy.making.reference.rooms
            self.copied.update((a, b) for a in copy.old.rooms for b in new)

    def doubled(self) -> frozenset[str]:
        """The rooms of lists of which there may be two that are one in Python."""
        found, before = set(self.twice), -1
        while len(found) != before:
            before = len(found)
            for slot, rooms in self.given.items():
                if rooms & found:
                    found |= self.received.get(slot, set())
            found.update(new for old, new in self.copied if old in found)
        return frozenset(found)


def is_known_text(leaf: Leaf) -> bool:
    """Whether a leaf is a text that all members share."""
    return isinstance(leaf, Static) and type(leaf.value) is str


def lists_in(value: Value) -> Iterator[Value]:
    """The lists of the member in a value, in order."""
    if is_list(value.tree):
        yield value
        return
    for _, child in child_values(value):
        yield from lists_in(child)


def rooms_of(value: Value) -> set[str]:
    """The rooms of what a list of the member holds."""
    return {r for x in data_of(value).leaves if isinstance(x, BufferRef) for r in x.rooms}


def rooms_held(values: Iterable[Value]) -> set[str]:
    """The rooms of all buffers in some values."""
    return {room for value in values for _, x in held({"": value}) for room in x.rooms}


def holds_handed(tree: Tree) -> bool:
    """Whether a value has been handed over."""
    return any(isinstance(node, Node) and issubclass(node.type, Handed) for node in nodes(tree))


def receiving(source: ir.Function, params: dict[str, Value]) -> ir.Function:
    """A function that makes lists of its own of what it is handed."""
    names = [name for name in source.params if holds_handed(params[name].tree)]
    if not names:
        return source
    operations = tuple(
        ir.Primitive((p,), receive, (p,), f"a list of what {p} holds", source.span) for p in names
    )
    jump = ir.Jump(source.blocks[0].label, source.span)
    return dataclasses.replace(
        source, blocks=(ir.Block(RECEIVED, operations, jump), *source.blocks)
    )
