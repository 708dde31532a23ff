"""Whether what Python says of the elements of a list follows from their leaves.

The elements of a list of the member are columns, one per leaf. So numbers, and tuples of them, are
compared a column at a time. What a class of the user's says of its objects is a function, and which
object is which is known of the heap alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import chosen_texts, none_or_value, pytree, special
from pcbatch.semantics.chosen_texts import ChosenText, has_own_order, holds_text, is_coded
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.text_order import LONG, ranks
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.none_or_value import is_maybe
from pcbatch.semantics.numbers.wide import order_columns
from pcbatch.semantics.pytree import Tree
from pcbatch.semantics.rationals import Fraction
from pcbatch.semantics.references import is_reference_tree, kind_of_tree
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.text_tables import rank
from pcbatch.semantics.texts import Text, packed


class OrderOfObjects(Unsupported, OnlyInProgram):
    """Which of two objects is less their class says, which only a loop of the program can ask."""


def compared(tree: Tree, method: str) -> tuple[bool, ...] | None:
    """Which leaves two elements are compared by, the first one first; None where that is said in
    another way.

    Args:
      tree: of an element.
      method: "__eq__" or "__lt__".
    """
    if not isinstance(tree, pytree.Node):
        return (True,)
    if is_reference_tree(tree):
        is_place = method == "__eq__" and not special.says(kind_of_tree(tree), method)
        return (True,) if is_place else None
    keys = _keys(tree, method)
    if keys is None:
        return None
    found = list[bool]()
    for key, child in zip(tree.keys, tree.children, strict=True):
        inner = compared(child, method) if key in keys else (False,) * pytree.count(child)
        if inner is None:
            return None
        found += inner
    return tuple(found)


def _keys(tree: pytree.Node, method: str) -> tuple[Any, ...] | None:
    """The parts of a structure that Python compares itself."""
    kind: Any = tree.type
    if kind in (Text, Fraction):
        return tree.keys
    if is_coded(tree) or kind is ChosenText:
        return tree.keys if method == "__eq__" or holds_text(tree) else None
    if is_maybe(tree):  # which is less than another is asked of the values
        return tree.keys if method == "__eq__" else None
    if issubclass(kind, (tuple, list)):
        return None if special.is_users(getattr(kind, method, None)) else tree.keys
    if special.derived_from(kind, method) != special.FIELDS:
        return None
    return tuple(field.name for field in dataclasses.fields(kind) if field.compare)


def compares(tree: Tree, method: str) -> bool:
    """Whether two elements are compared by their leaves."""
    return compared(tree, method) is not None


def columns_compared(mine: Dense, method: str) -> tuple[Any, ...]:
    """The columns that elements are compared by."""
    if method != "__lt__":
        return tuple(column for column, _ in _compared(mine, method))
    return tuple(one for part, kind in _parts(mine) for one in _ordered_by(part, kind))


def columns_in_order(mine: Dense) -> list[Any]:
    """Numbers that are in the order of elements of one list: `columns_compared`, less of them.

    A long text is one of them, its rank among those of the list.
    """
    found = list[Any]()
    for column, kind in _parts(mine):
        long = kind is Text and column.shape[-1] > LONG
        found += [ranks(column, mine.used)] if long else _ordered_by(column, kind)
    return found


def _compared(mine: Dense, method: str) -> Iterator[tuple[Any, type]]:
    """The columns that elements are compared by, and what their leaves are."""
    which = compared(mine.tree, method)
    assert which is not None
    return itertools.compress(zip(mine.columns, _kinds(mine.tree), strict=True), which)


def _parts(mine: Dense) -> Iterator[tuple[Any, type]]:
    """The columns that elements are put in order by; the two of a fraction are a pair."""
    columns = _compared(mine, "__lt__")
    for column, kind in columns:
        yield ((column, next(columns)[0]) if kind is Fraction else column), kind


def _ordered_by(column: Any, kind: type) -> list[Any]:
    """The columns of numbers that are in the order of a column."""
    if kind is Fraction:
        return order_columns(*column)
    if kind is Text:
        return tf.unstack(packed(column), axis=-1)
    return [rank(column) if kind is str else column]


def _kinds(tree: Tree) -> list[type]:
    """What each leaf is: `str` the code of a text, `Text` characters, `Fraction` a numerator, whose
    denominator is next, else `int`."""
    if not isinstance(tree, pytree.Node):
        return [int]
    if is_coded(tree):
        return [str if holds_text(tree) else int]
    if tree.type in (Text, Fraction):
        return [tree.type, int]
    return [leaf for child in tree.children for leaf in _kinds(child)]


def are_numbers(tree: Tree, shapes: Iterable[Sequence[Any]]) -> bool:
    """Whether the leaves of an element are numbers, or those of texts, and no arrays.

    Args:
      tree: of an element.
      shapes: of its leaves.
    """
    return all(kind is Text or not len(s) for kind, s in zip(_kinds(tree), shapes, strict=True))


def holds_objects(tree: Tree) -> bool:
    """Whether an element is an object, or holds one."""
    return any(not issubclass(node.type, (tuple, list, Text)) for node in pytree.nodes(tree))


def check_numbers(mine: Dense) -> None:
    """Refuse to make an array of elements some of which are None, or of texts.

    Raises:
      Unsupported: there are such elements.
    """
    for node in pytree.nodes(mine.tree):
        if is_maybe(node):
            none_or_value.refuse()
        if is_coded(node) or node.type is Text:
            chosen_texts.refuse()


def check_equality(*trees: Tree) -> None:
    """Refuse to look for an object in a list that grows by what its class says, or by which it is.

    Raises:
      Unsupported: an element of one of some structures is not compared by its leaves.
    """
    for tree in trees:
        if not compares(tree, "__eq__"):
            raise Unsupported(
                f"objects of `{_name(tree)}` in a list that grows are compared with `==`",
                "its elements are in arrays of their numbers, and what is equal is not told by "
                "these, but by `__eq__`, or by which object it is.",
                "ask them one by one:\n"
                "any(x == y for y in xs)  # instead of x in xs\n"
                "sum(x == y for y in xs)  # instead of xs.count(x)",
            )


def check_alike(a: Tree, b: Tree) -> None:
    """Refuse to compare fractions with numbers of another kind, which their leaves do not tell.

    Raises:
      Unsupported: of two structures that differ one has fractions.
    """
    if a != b and any(node.type is Fraction for tree in (a, b) for node in pytree.nodes(tree)):
        raise Unsupported(
            "fractions and other numbers are compared in a list, a set or a dict of the member",
            "each leaf is compared with that of the other one, and only a fraction has two.",
            "make fractions of all: Fraction(x)",
        )


def check_order(*trees: Tree) -> None:
    """The same of what asks which object is less.

    Raises:
      TypeError: there is no order of such objects.
      Unsupported: a method says it, or an element may be None.
    """
    for tree in trees:
        if compares(tree, "__lt__"):
            continue
        if any(map(is_maybe, pytree.nodes(tree))):
            raise Unsupported(
                "lists, or tuples, in which an element may be None are put in order",
                "Python raises where it compares None with a number, and this may depend on what "
                "comes before it.",
                "put in order what is not None: sorted(x for x in xs if x is not None)",
            )
        if any(is_coded(node) and has_own_order(node) for node in pytree.nodes(tree)):
            chosen_texts.refuse()
        name = _name(tree)
        if not any(special.says(node.type, "__lt__") for node in pytree.nodes(tree)):
            raise TypeError(f"'<' not supported between instances of '{name}' and '{name}'")
        raise OrderOfObjects(
            f"objects of `{name}` in a list that grows are put in order",
            "its elements are in arrays of their numbers, and which one is less is not told by "
            "these, but by `__lt__`.",
            "give a key of numbers: sorted(xs, key=lambda x: x.cost)\n"
            "or look for the least one: min(xs)",
        )


def _name(tree: Tree) -> str:
    own = (tuple, list, Text)
    kinds = (node.type for node in pytree.nodes(tree) if not issubclass(node.type, own))
    return next((kind.__name__ for kind in kinds), "tuple")
