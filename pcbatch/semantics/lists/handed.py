"""A list that is handed to a call by its elements: the callee makes one of its own of them.

Each depth of a recursion may make a list and hand it on. Where lists are is a part of what
inference knows of a variable, so such a recursion would have no end of types. What a list holds has
one type at each depth, and lies on the members' stacks as any argument does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.lists.member import MemberList
from pcbatch.semantics.lists.tuples import MemberTuple


@dataclasses.dataclass(frozen=True, eq=False)
class Handed:
    """What a list holds.

    Attributes:
      data: a structure of `[capacity, ...]` tensors, one per leaf of an element.
      sizes: for each level that grows, the lengths there.
      layout: what is static.
    """

    data: Any
    sizes: tuple[Any, ...]
    layout: ListLayout


class HandedTuple(Handed):
    """What a tuple of a length per member holds."""


def hand_over(value: Any) -> tuple[Any]:
    """A primitive: a value in which lists are replaced by what they hold."""
    return (_replaced(value, MemberList, _handed),)


def receive(value: Any) -> tuple[Any]:
    """A primitive: a value that was handed over, with lists of its own."""
    return (_replaced(value, Handed, _received),)


def _replaced(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    leaves, tree = pytree.flatten(value, whole=True, stop=kind)
    return pytree.unflatten(tree, [change(x) if isinstance(x, kind) else x for x in leaves])


def _handed(value: MemberList) -> Handed:
    if value.rows:
        row = value.dense()
        layout = value.layout
        layout = ListLayout(
            layout.capacity[-1:], layout.grows[-1:], layout.weak, layout.known,
            is_row=layout.is_row or layout.has_rows,
        )  # fmt: skip
        sizes = (tf.reshape(tf.cast(row.length, tf.int32), [1]),) if layout.grows[0] else ()
        return Handed(pytree.unflatten(row.tree, row.columns), sizes, layout)
    buffers, tree = pytree.flatten(value.data)
    contents = [tf.identity(buffer.array) for buffer in buffers]
    sizes = tuple(tf.identity(buffer.array) for buffer in value.sizes)
    kind = HandedTuple if isinstance(value, MemberTuple) else Handed
    return kind(pytree.unflatten(tree, contents), sizes, value.layout)


def _received(value: Handed) -> MemberList:
    columns, tree = pytree.flatten(value.data)
    stored = pytree.unflatten(tree, [Buffer(tf.identity(x)) for x in columns])
    sizes = tuple(Buffer(tf.identity(x)) for x in value.sizes)
    kind = MemberTuple if isinstance(value, HandedTuple) else MemberList
    return kind(stored, sizes, (), value.layout)
