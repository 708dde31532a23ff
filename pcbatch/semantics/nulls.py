"""None among the elements of a list: a reference that is to no object, as others may be to one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from pcbatch.semantics.pytree import LEAF, Node, Reference, Tree, flatten, unflatten
from pcbatch.semantics.references import NOTHING, NULL

Part = TypeVar("Part")


def with_nulls(
    parts: Iterable[Part], tree: Tree, is_none: Callable[[Part], bool], null: Part
) -> tuple[list[Part], Tree]:
    """The leaves and the structure of a value in which each None is a reference.

    Args:
      parts: the leaves.
      tree: the structure.
      is_none: whether a leaf is None.
      null: the leaf of a reference that is None.
    """
    found, supply = list[Part](), iter(parts)

    def with_null(tree: Tree) -> Tree:
        if isinstance(tree, Node):
            return dataclasses.replace(tree, children=tuple(map(with_null, tree.children)))
        part = next(supply)
        found.append(null if is_none(part) else part)
        return NULL if is_none(part) else LEAF

    changed = with_null(tree)
    return found, changed


def flattened(value: Any) -> tuple[list[Any], Tree]:
    """The leaves and the structure of a value in which each None is a reference."""
    return with_nulls(*flatten(value), lambda leaf: leaf is None, np.int32(NOTHING))


def unflattened(tree: Tree, leaves: Iterable[Any]) -> Any:
    """A value of a structure; what is None of all values is None."""
    found, supply = list[Any](), iter(leaves)

    def without_null(tree: Tree) -> Tree:
        if isinstance(tree, Node) and tree != NULL:
            return dataclasses.replace(tree, children=tuple(map(without_null, tree.children)))
        leaf = next(supply)
        found.append(None if tree == NULL else leaf)
        return LEAF

    made = without_null(tree)
    return unflatten(made, found)


def common_tree(a: Tree, b: Tree) -> Tree | None:
    """The structure of either of two values that differ in what is None at most; None where there
    is none."""
    if a == b or not (isinstance(a, Node) and isinstance(b, Node)):
        return a if a == b else None
    if NULL in (a, b):
        other = b if a == NULL else a
        return other if issubclass(other.type, Reference) else None
    if (a.type, a.keys, a.meta) != (b.type, b.keys, b.meta):
        return None
    children = [common_tree(x, y) for x, y in zip(a.children, b.children, strict=True)]
    if any(child is None for child in children):
        return None
    return dataclasses.replace(a, children=tuple(filter(None, children)))
