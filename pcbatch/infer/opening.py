"""Structures that a value holds whole, as static objects, taken apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from pcbatch.infer.domain import Leaf, Static, Value, static
from pcbatch.semantics import data, pytree
from pcbatch.semantics.pytree import Tree


def expanded(value: Value) -> Value:
    """The value with large containers of plain data taken apart, too."""
    if not any(isinstance(x, Static) and data.is_large(x.value) for x in value.leaves):
        return value
    return _with_leaves_open(value, lambda leaf: static(leaf.value))


def taken_apart(value: Value) -> Value:
    """Plain data that is not taken apart, as the structures that they are where elements vary."""

    def opened(leaf: Static) -> Value:
        items = getattr(leaf.value, "items_of_plain", None)
        return Value(pytree.LEAF, (leaf,)) if items is None else static(items)

    return _with_leaves_open(value, opened)


def _with_leaves_open(value: Value, opened: Callable[[Static], Value]) -> Value:
    """A value in which the structures that static leaves are take their place."""
    tree, parts = _parts(value.tree, iter(value.leaves), opened)
    return Value(tree, tuple(parts))


def _parts(
    tree: Tree, leaves: Iterator[Leaf], opened: Callable[[Static], Value]
) -> tuple[Tree, list[Leaf]]:
    if isinstance(tree, pytree.Node):
        children = [_parts(child, leaves, opened) for child in tree.children]
        made = dataclasses.replace(tree, children=tuple(child for child, _ in children))
        return made, [leaf for _, parts in children for leaf in parts]
    leaf = next(leaves)
    if not isinstance(leaf, Static):
        return tree, [leaf]
    inner = opened(leaf)
    if isinstance(inner.tree, pytree.Node):
        return dataclasses.replace(inner.tree, origins=leaf.origins), list(inner.leaves)
    return inner.tree, list(inner.leaves)
