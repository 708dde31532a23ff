"""None among the elements of a list.

Where the others are references to objects of the heap, it is a reference that is to no object;
where they are numbers, or tuples of them, each is a value that may be None.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from pcbatch.semantics import pytree
from pcbatch.semantics.none_or_value import is_maybe, maybe, value_tree
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
    if a == b:
        return a
    if NULL in (a, b):
        return _or_null(b if a == NULL else a)
    if is_maybe(a) or is_maybe(b):
        inner = common_tree(value_tree(a), value_tree(b))
        return None if inner is None else maybe(inner)
    if not (isinstance(a, Node) and isinstance(b, Node)):
        return None
    if (a.type, a.keys, a.meta) != (b.type, b.keys, b.meta):
        return None
    children = [common_tree(x, y) for x, y in zip(a.children, b.children, strict=True)]
    if any(child is None for child in children):
        return None
    return dataclasses.replace(a, children=tuple(filter(None, children)))


def common_tree_of(trees: Iterable[Tree]) -> Tree | None:
    """The structure of any of several values, in the same way."""
    first, *others = trees
    found: Tree | None = first
    for other in others:
        found = None if found is None else common_tree(found, other)
    return found


def _or_null(tree: Tree) -> Tree | None:
    if isinstance(tree, Node) and (issubclass(tree.type, Reference) or is_maybe(tree)):
        return tree
    return maybe(tree) if all(issubclass(n.type, tuple) for n in pytree.nodes(tree)) else None


def lifted(
    leaves: Sequence[Part], tree: Tree, wanted: Tree, there: Callable[[bool], Part]
) -> list[Part | None]:
    """The leaves of a value in a structure in which parts may be None.

    Args:
      leaves: of the value.
      tree: of the value.
      wanted: what `common_tree` has found for it.
      there: the leaf that says whether a part is not None.

    Returns:
      The leaves; None for those of a part that is None.
    """
    if tree == wanted or not isinstance(wanted, Node) or issubclass(wanted.type, Reference):
        return list(leaves)
    if is_maybe(wanted) and not is_maybe(tree):
        inner = wanted.children[1]
        if tree == NULL:
            return [there(False), *[None] * pytree.count(inner)]
        return [there(True), *lifted(leaves, tree, inner, there)]
    assert isinstance(tree, Node)
    found, start = list[Part | None](), 0
    for child, other in zip(tree.children, wanted.children, strict=True):
        end = start + pytree.count(child)
        found += lifted(leaves[start:end], child, other, there)
        start = end
    return found


def zeroed(leaves: Iterable[Part], tree: Tree, kept: Callable[[Part, Part], Part]) -> list[Part]:
    """The leaves of a value, zero in each part that is None, so that these are equal.

    Args:
      leaves: of the value.
      tree: of the value.
      kept: of whether a part is not None, and one of its leaves: the leaf, or zero.
    """
    supply = iter(leaves)

    def of(tree: Tree, conditions: tuple[Part, ...]) -> Iterable[Part]:
        if not isinstance(tree, Node):
            leaf = next(supply)
            for condition in conditions:
                leaf = kept(condition, leaf)
            yield leaf
            return
        if not is_maybe(tree):
            for child in tree.children:
                yield from of(child, conditions)
            return
        (there,) = of(LEAF, conditions)
        yield there
        yield from of(tree.children[1], (there,))

    return list(of(tree, ()))
