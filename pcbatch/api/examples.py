"""Examples from any iterable, in batches that fit one program."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.api.autobatched import Autobatched
from pcbatch.errors import ArgumentError
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.specialization import Specialization
from pcbatch.runtime.text_arguments import are_spelled, spelled
from pcbatch.semantics import pytree
from pcbatch.semantics.constants import is_constant
from pcbatch.semantics.faults import Checks
from pcbatch.semantics.interrupts import at_once
from pcbatch.semantics.labels import Labels


class Examples:
    """Reads examples and makes batches of them.

    Attributes:
      read: how many it has read.
      failure: what ended the reading too early: the user's iterator raised, or examples do not fit.
        Those read before are run to their end all the same.
    """

    def __init__(self, f: Autobatched, examples: Iterator[Any], fixed: dict[str, Any]):
        self.f, self._examples, self._fixed = f, examples, fixed
        names = f.parameters()
        unknown = [name for name in fixed if name not in names]
        if unknown:
            raise ArgumentError(f"map: {f.__name__} has no parameter {unknown[0]!r}")
        self._names = [n for n in names if n not in fixed]
        self._form: Any = None
        self._text_room = 0
        self.read = 0
        self.failure: BaseException | None = None
        self._exhausted = False

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the reading."""
        return isinstance(self.failure, KeyboardInterrupt)

    def take(self, number: int) -> Arguments | None:
        """The next examples as a batch, at most so many; None at the end and after a failure."""
        if self.failure is not None or self._exhausted:
            return None
        examples: list[Any] = []
        try:
            with at_once():
                for example in itertools.islice(self._examples, number):
                    examples.append(example)
            self._exhausted = len(examples) < number
        except (Exception, KeyboardInterrupt) as error:  # the user's; raised at the end
            self.failure = error
        try:
            arguments = self._arguments(examples) if examples else None
        except ArgumentError as error:
            self.failure = error
            return None
        self.read += len(examples)
        return arguments

    def specialized(
        self, first: Arguments, checks: Checks | None
    ) -> tuple[Specialization, Arguments]:
        """The specialization for the first examples, and they as it takes them, as all others."""
        specialization, taken = self.f.specialized(first, checks)
        self._text_room = specialization.inferred.text_room if are_spelled(taken) else 0
        self._form = _form(taken)
        return specialization, taken

    def _arguments(self, examples: list[Any]) -> Arguments:
        examples = [self._named(example) for example in examples]
        if any(x.keys() != examples[0].keys() for x in examples):
            raise ArgumentError(f"map: {self.f.__name__}: examples differ in the names they give")
        stacked = {name: self._stack([x[name] for x in examples]) for name in examples[0]}
        arguments = self.f.read(**stacked, **self._fixed)
        for leaf in arguments.leaves:
            is_shared = leaf.axis != 0 and not isinstance(leaf.value, type)  # a type is of labels
            if leaf.parameter in stacked and is_shared:
                raise ArgumentError(
                    f"map: {leaf.parameter} of {self.f.__name__} is the same for all members, so "
                    f"it is no part of an example\nhelp: map(..., {leaf.parameter}=...)"
                )
        if self._text_room:
            arguments = spelled(arguments, self._text_room)
        self._form = self._form or _form(arguments)
        if _form(arguments) != self._form:
            raise ArgumentError(
                f"map: the examples from number {self.read} on differ in structure, dtype or shape "
                f"from those before"
            )
        return arguments

    def _named(self, example: Any) -> dict[str, Any]:
        names = self._names
        if len(names) == 1:
            return {names[0]: example}
        if isinstance(example, dict):
            return example
        if not isinstance(example, tuple) or len(example) > len(names):
            raise ArgumentError(
                f"map: {self.f.__name__} takes {', '.join(names)}: an example is a tuple of these, "
                f"or a dict by name, not {example!r}"
            )
        return dict(zip(names, example, strict=False))

    def _stack(self, values: list[Any]) -> Any:
        flat, tree = pytree.flatten(values[0])
        columns = [flat] + [pytree.flatten(v)[0] for v in values[1:]]
        if any(pytree.flatten(v)[1] != tree for v in values[1:]):
            raise ArgumentError(f"map: {self.f.__name__}: examples differ in structure")
        try:
            leaves = [_column(list(column)) for column in zip(*columns, strict=True)]
        except ValueError as error:
            raise ArgumentError(f"map: {self.f.__name__}: examples differ: {error}") from None
        return pytree.unflatten(tree, leaves)


def _form(arguments: Arguments) -> Any:
    """What batches of any size have in common."""
    leaves = [
        (x.axis, x.value) if x.axis == "static" else (x.axis, x.value.dtype, x.value.shape[1:])
        for x in arguments.leaves
    ]
    return list(arguments.trees.items()), leaves


def _column(values: list[Any]) -> Any:
    """One leaf of all examples with the batch in front; Python numbers as TensorFlow reads them."""
    if all(type(v) in (bool, int, float) for v in values):
        return tf.constant(values)
    if all(map(is_constant, values)):
        return Labels(values)
    return np.stack([np.asarray(v) for v in values])
