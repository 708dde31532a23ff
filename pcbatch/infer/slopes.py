"""Derivatives with regard to the arguments of a call: which there are, and what takes them."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from pcbatch.infer.domain import Leaf, Static, Value, as_tensor, carried, is_number
from pcbatch.infer.instance import Instance
from pcbatch.ir.analysis.activity import is_floating
from pcbatch.semantics import pytree

VALUE, SLOPE, TANGENT = "%value", "%slope", "%tangent"
"""The variables that take what a function gives, a derivative, and the tangent of what it gives."""


def is_float(leaf: Leaf) -> bool:
    """Whether a leaf has a derivative."""
    return is_number(leaf) and is_floating(as_tensor(leaf).type)


class With(NamedTuple):
    """An argument of a call: a parameter, or an element of one that takes several."""

    parameter: str
    element: int | None = None

    def leaves(self, value: Value) -> range:
        """Which of the parameter's leaves are those of the argument."""
        if self.element is None:
            return range(len(value.leaves))
        assert isinstance(value.tree, pytree.Node)
        sizes = [pytree.count(child) for child in value.tree.children]
        start = sum(sizes[: self.element])
        return range(start, start + sizes[self.element])

    def part(self, value: Value) -> Value:
        """The argument in the parameter's value."""
        if self.element is None:
            return value
        assert isinstance(value.tree, pytree.Node)
        leaves = tuple(value.leaves[i] for i in self.leaves(value))
        return Value(value.tree.children[self.element], leaves)


class Along(NamedTuple):
    """Arguments that have tangents.

    Attributes:
      arguments: which.
      tangents: of their floats, in order: the value, and the variable that holds it.
    """

    arguments: tuple[With, ...]
    tangents: tuple[tuple[Leaf, str], ...]


def slopes(target: Instance, wrt: tuple[With, ...]) -> dict[str, Value]:
    """The derivatives with regard to some arguments, by the variables that take them.

    Integers, booleans and keys have none: None stands in their place.
    """
    parts = (argument.part(target.params[argument.parameter]) for argument in wrt)
    return {f"{SLOPE}{i}": _of(part) for i, part in enumerate(parts)}


def _of(value: Value) -> Value:
    return Value(value.tree, tuple(x if is_float(x) else Static(None) for x in value.leaves))


def tangents(target: Instance) -> Value:
    """The tangents of what a function gives: 0.0 for constants, None for what is no float."""
    assert target.result is not None
    leaves = target.result.leaves
    return Value(target.result.tree, tuple(map(_tangent, leaves)))


def _tangent(leaf: Leaf) -> Leaf:
    if not is_float(leaf):
        return Static(None)
    return leaf if carried(leaf) else Static(0.0)


def positions(target: Instance, wrt: tuple[With, ...]) -> tuple[int, ...]:
    """Among the variables that a function is given, those of the floats in some arguments."""
    number = itertools.count()
    given = {
        (name, i): next(number)
        for name in target.source.params
        for i, leaf in enumerate(target.params[name].leaves)
        if carried(leaf)
    }
    return tuple(
        given[name, i]
        for name, value, argument in ((x.parameter, target.params[x.parameter], x) for x in wrt)
        for i in argument.leaves(value)
        if (name, i) in given and is_float(value.leaves[i])
    )
