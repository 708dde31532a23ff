"""None, and texts, among the elements of a list, whose leaves are all numbers.

Where the others are references to objects of the heap, None is a reference that is to no object;
where they are numbers, or tuples of them, each is a value that may be None. A text, or a constant
of an Enum, is a code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from pcbatch.semantics import pytree
from pcbatch.semantics.chosen_texts import ChosenText, Coded, coded, decoded, is_coded
from pcbatch.semantics.constants import code_of, is_constant
from pcbatch.semantics.named_texts import spelled_room
from pcbatch.semantics.none_or_value import is_maybe, maybe, value_tree
from pcbatch.semantics.pytree import (
    LEAF,
    Node,
    Reference,
    Tree,
    flatten,
    stands_for_pythons,
    unflatten,
)
from pcbatch.semantics.references import NOTHING, NULL
from pcbatch.semantics.spelling import SPELLED, as_element, codes_of
from pcbatch.semantics.texts import Text

Part = TypeVar("Part")


def with_numbers(
    parts: Iterable[Part],
    tree: Tree,
    number: Callable[[Part], tuple[Sequence[Part], Tree]],
    kind: Callable[[Part], type],
) -> tuple[list[Part], Tree]:
    """The leaves and the structure of a value, as an element of a list has them.

    Args:
      parts: the leaves of the value.
      tree: its structure.
      number: of a leaf that may be None or a text, what `as_number` gives.
      kind: of the leaf that says of which kind a text is, the kind.
    """
    found, supply = list[Part](), iter(parts)

    def changed(tree: Tree) -> Tree:
        if isinstance(tree, Node) and tree.type is ChosenText:
            found.append(next(supply))
            return coded(kind(next(supply)))
        if isinstance(tree, Node):
            return dataclasses.replace(tree, children=tuple(map(changed, tree.children)))
        numbers, own = number(next(supply))
        found.extend(numbers)
        return own

    new = changed(tree)
    return found, new


def as_number(leaf: Any) -> tuple[Sequence[Any], Tree]:
    """What stands for a leaf in a list, and its structure."""
    if leaf is None:
        return [np.int32(NOTHING)], NULL
    kind: Any = type(leaf)
    if kind is str and spelled_room():
        return codes_of(leaf), SPELLED
    return ([code_of(leaf)], coded(kind)) if is_constant(leaf) else ([leaf], LEAF)


def flattened(value: Any) -> tuple[list[Any], Tree]:
    """The leaves and the structure of a value, as an element of a list has them."""
    return with_numbers(*flatten(as_element(value)), as_number, lambda kind: kind)


def unflattened(tree: Tree, leaves: Iterable[Any]) -> Any:
    """An element of a list: what is None of all of them is None, a code is a text."""
    found, supply = list[Any](), iter(leaves)

    def without_null(tree: Tree) -> Tree:
        if isinstance(tree, Node) and tree != NULL and not is_coded(tree):
            return dataclasses.replace(tree, children=tuple(map(without_null, tree.children)))
        leaf = next(supply)
        found.append(None if tree == NULL else decoded(tree, leaf) if is_coded(tree) else leaf)
        return LEAF

    made = without_null(tree)
    return unflatten(made, found)


def common_tree(a: Tree, b: Tree) -> Tree | None:
    """The structure of either of two values that differ in what is None at most; None where there
    is none."""
    if a == b:
        return a
    if LEAF in (a, b) and is_fraction_beside(a, b):
        return b if a == LEAF else a
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


def is_fraction_beside(a: Tree, b: Tree) -> bool:
    """Whether one of two structures is a fraction: an integer beside it is one, over 1."""
    return any(isinstance(x, Node) and stands_for_pythons(x.type) for x in (a, b))


class NotOneType(TypeError):
    """The elements of a list have not one type, so that they have no place in one buffer."""


def check_whole(tree: Tree, columns: Iterable[Any]) -> None:
    """Refuse fractions and floats in one list.

    Args:
      tree: of its elements.
      columns: of their leaves.

    Raises:
      NotOneType: there are such.
    """
    if not are_whole(tree, (column.dtype.name for column in columns)):
        raise NotOneType("an element of a list is a Fraction, and another one is a float")


def has_fraction(tree: Tree) -> bool:
    """Whether there is a fraction in a structure."""
    return any(stands_for_pythons(node.type) for node in pytree.nodes(tree))


def are_whole(tree: Tree, dtypes: Iterable[str]) -> bool:
    """Whether the fractions in a structure are of integers: no float was beside one.

    Args:
      tree: the structure.
      dtypes: of its leaves.
    """
    supply = iter(dtypes)

    def found(tree: Tree, inside: bool) -> bool:
        if not isinstance(tree, Node):
            return "int" in next(supply) or not inside
        inside = inside or stands_for_pythons(tree.type)
        return all(found(child, inside) for child in tree.children)

    return found(tree, False)


def itself(value: Part) -> Part:
    """A leaf that is known, as it is."""
    return value


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
    kinds = [node.type for node in pytree.nodes(tree)]
    plain = all(issubclass(x, (tuple, Coded, Text)) or stands_for_pythons(x) for x in kinds)
    return maybe(tree) if plain else None


def lifted(
    leaves: Sequence[Part], tree: Tree, wanted: Tree, there: Callable[[Any], Any]
) -> list[Part | None]:
    """The leaves of a value in a structure in which parts may be None.

    Args:
      leaves: of the value.
      tree: of the value.
      wanted: what `common_tree` has found for it.
      there: the leaf that is known: whether a part is not None, the denominator of an integer.

    Returns:
      The leaves; None for those of a part that is None.
    """
    if tree == wanted or not isinstance(wanted, Node) or issubclass(wanted.type, Reference):
        return list(leaves)
    if stands_for_pythons(wanted.type) and tree == LEAF:
        return [*leaves, there(1)]
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
