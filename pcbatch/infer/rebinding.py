"""Nested functions see the variables around them change, as in Python.

A closure holds what it captures. Where a variable is assigned that a closure of the same activation
has captured, the closure is made anew with the new value, in whatever variable or container it is.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Iterator
from typing import Any

from pcbatch.infer.domain import Static, Value
from pcbatch.semantics import pytree
from pcbatch.semantics.pytree import Tree
from pcbatch.semantics.static_values import Closure, Factory


@dataclasses.dataclass(frozen=True, slots=True)
class Rebind:
    """A primitive's function that gives a value whose closures hold new values of variables.

    Attributes:
      factories: of the closures.
      names: the variables.
    """

    factories: tuple[Factory, ...]
    names: tuple[str, ...]

    def __call__(self, holder: Any, *values: Any) -> tuple[Any]:
        leaves, tree = pytree.flatten(holder)
        new = dict(zip(self.names, map(pytree.flatten, values), strict=True))
        found: list[Any] = []
        tree = self._renewed(tree, iter(leaves), new, found)
        return (pytree.unflatten(tree, found),)

    def abstract(self, holder: Value, values: Iterable[Value]) -> Value:
        """The value that it gives: the lists and objects in it are made where they were."""
        parts = ((list(value.leaves), value.tree) for value in values)
        new = dict(zip(self.names, parts, strict=True))
        found: list[Any] = []
        tree = self._renewed(holder.tree, iter(holder.leaves), new, found)
        return Value(tree, tuple(found))

    def _renewed(
        self, tree: Tree, leaves: Iterator[Any], new: dict[str, Any], found: list[Any]
    ) -> Tree:
        if not isinstance(tree, pytree.Node):
            found.append(next(leaves))
            return tree
        own = tree.type is Closure and _is_one_of(tree.meta, self.factories)
        children = []
        for key, child in zip(tree.keys, tree.children, strict=True):
            if own and key in new and key in tree.meta.late:
                for _ in range(pytree.count(child)):
                    next(leaves)
                inner, child = new[key]
                found.extend(inner)
                children.append(child)
            else:
                children.append(self._renewed(child, leaves, new, found))
        return dataclasses.replace(tree, children=tuple(children))


def sees(value: Value, factories: tuple[Factory, ...], names: Iterable[str]) -> bool:
    """Whether a value has a closure of these factories inside that sees one of the variables."""
    names = set(names)
    return any(
        _is_one_of(factory, factories) and not names.isdisjoint(factory.late)
        for factory in closures_in(value.tree)
    )


def hides(value: Value, factories: tuple[Factory, ...], names: Iterable[str]) -> bool:
    """Whether a plain function in a value has captured such a closure, where it stays as it is."""
    names = set(names)
    cells = (
        cell.cell_contents
        for leaf in value.leaves
        if isinstance(leaf, Static) and isinstance(leaf.value, types.FunctionType)
        for cell in leaf.value.__closure__ or ()
        if cell != types.CellType()
    )
    return any(
        _is_one_of(x.factory, factories) and not names.isdisjoint(x.factory.late)
        for x in cells
        if isinstance(x, Closure)
    )


def closures_in(tree: Tree) -> Iterator[Factory]:
    """The factories of the closures in a structure."""
    if isinstance(tree, pytree.Node):
        if tree.type is Closure:
            yield tree.meta
        for child in tree.children:
            yield from closures_in(child)


def _is_one_of(factory: Any, factories: tuple[Factory, ...]) -> bool:
    return any(factory is own for own in factories)
