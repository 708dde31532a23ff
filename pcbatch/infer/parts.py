"""The objects and the dicts in a value, and values with another object in their place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import Leaf, Static, Value
from pcbatch.infer.kinds import is_by_names, is_dict_or_record
from pcbatch.infer.list_values import Path, child_values
from pcbatch.semantics import pytree
from pcbatch.semantics.lists.fresh import Origins, latest
from pcbatch.semantics.pytree import Node, Tree

Part = tuple[Path, Value]
"""A part of a value, and where it is."""


def origins_of(value: Value) -> Origins:
    """Where an object or a dict is made, and how it was changed."""
    leaf = value.leaf
    if leaf is not None:
        return leaf.origins if isinstance(leaf, Static) else frozenset()
    assert isinstance(value.tree, Node)
    return value.tree.origins


def parts_of(value: Value) -> Iterator[Value]:
    """A value, and all that is in it."""
    yield value
    for _, child in child_values(value):
        yield from parts_of(child)


def objects_in(value: Value, path: Path = ()) -> Iterator[Part]:
    """The objects and dicts in a value whose values are variables, if the program has made them."""
    if is_by_names(value.tree) and origins_of(value):
        yield path, value
    for key, child in child_values(value):
        yield from objects_in(child, (*path, key))


def made_somewhere(value: Value, where: Origins, path: Path = ()) -> Iterator[Part]:
    """The parts of a value that may be made somewhere, large plain data among them."""
    if where & origins_of(value):
        yield path, value
    for key, child in child_values(value):
        yield from made_somewhere(child, where, (*path, key))


def replaced(operand: Operand, where: Origins, new: Operand) -> Operand:
    """An operand in which each object that is made somewhere is another one."""
    found: list[tuple[Leaf, str]] = []
    leaves = zip(operand.value.leaves, operand.names, strict=True)
    tree = _replaced(operand.value.tree, iter(leaves), where, new, found)
    return Operand(Value(tree, tuple(x for x, _ in found)), tuple(name for _, name in found))


def _replaced(
    tree: Tree,
    leaves: Iterator[tuple[Leaf, str]],
    where: Origins,
    new: Operand,
    found: list[tuple[Leaf, str]],
) -> Tree:
    if not isinstance(tree, Node):
        leaf, name = next(leaves)
        if not (isinstance(leaf, Static) and where & leaf.origins):
            found.append((leaf, name))
            return tree
    elif where & tree.origins:
        for _ in range(pytree.count(tree)):
            next(leaves)
    else:
        children = tuple(_replaced(child, leaves, where, new, found) for child in tree.children)
        return dataclasses.replace(tree, children=children)
    found.extend(zip(new.value.leaves, new.names, strict=True))
    return new.value.tree


def with_origins(value: Value, origins: Origins) -> Value:
    """An object that is made elsewhere."""
    leaf = value.leaf
    if leaf is not None:
        assert isinstance(leaf, Static)
        return Value(value.tree, (dataclasses.replace(leaf, origins=origins),))
    assert isinstance(value.tree, Node)
    return Value(dataclasses.replace(value.tree, origins=origins), value.leaves)


def with_objects(value: Value, new: Callable[[Path, Value], Origins], path: Path = ()) -> Value:
    """A value whose objects and dicts are made elsewhere.

    Args:
      value: the value.
      new: gives where, of an object, and where it is in the value.
      path: where the value is.
    """
    tree = value.tree
    own = new(path, value) if is_dict_or_record(value) and origins_of(value) else None
    if isinstance(tree, Node):
        parts = [with_objects(child, new, (*path, key)) for key, child in child_values(value)]
        tree = dataclasses.replace(tree, children=tuple(part.tree for part in parts))
        value = Value(tree, tuple(leaf for part in parts for leaf in part.leaves))
    return value if own is None else with_origins(value, own)


def latest_in(value: Value) -> Origins:
    """The last changes of the objects, the dicts and the lists in a value."""
    below = (latest_in(child) for _, child in child_values(value))
    return latest(origins_of(value)).union(*below)
