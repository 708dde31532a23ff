"""More inputs than lanes: a lane whose member has ended takes the next input.

The machine returns to the host when a share of its lanes have ended. The host takes their results,
writes new inputs into their registers and goes on; the other lanes notice nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import structure
from pcbatch.api import Autobatched
from pcbatch.arguments import Arguments
from pcbatch.errors import ArgumentError
from pcbatch.lanes import Ended, Lanes
from pcbatch.options import RunOptions
from pcbatch.result import Fault, Result, Status
from pcbatch.specialize import Specialization
from pcbatch.stats import Stats

LOOK_AHEAD = 16
"""How many inputs per lane may be read before the oldest result is there."""


@dataclasses.dataclass(frozen=True)
class Member:
    """The outcome of one input.

    Attributes:
      index: the input's number, from 0.
      value: the function's result for it, a structure of arrays without a batch axis; unspecified
        where the status is not DONE.
      status: see `Status`.
      fault: why it did not return; None where it did.
    """

    index: int
    value: Any
    status: int
    fault: Fault | None

    @property
    def message(self) -> str:
        """Why it did not return, "" if it did."""
        return str(self.fault) if self.fault else ""


class Mapped:
    """The outcomes of `pcbatch.map`, in input order, as they come; to be gone through once.

    Iterating gives the values, and raises at the first member that did not return. `members()`
    gives every member's outcome with its status, and raises nothing; `result()` gives all at once.

    Attributes:
      stats: the counts of the run so far; None before it has begun.
    """

    def __init__(self, outcomes: Iterator[Member], lanes: list[Lanes]):
        self._outcomes, self._lanes = outcomes, lanes

    @property
    def stats(self) -> Stats | None:
        return self._lanes[0].stats() if self._lanes else None

    def __iter__(self) -> Iterator[Any]:
        for member in self._outcomes:
            if member.status != Status.DONE:
                rest = [member]
                if member.status == Status.CANCELLED:  # the others have come to their end
                    rest += self._outcomes
                stack(rest, self.stats).check()
            yield member.value

    def members(self) -> Iterator[Member]:
        """Every member with its status, in input order."""
        return self._outcomes

    def result(self) -> Result:
        """All members stacked, as `run` returns them; memory grows with their number.

        Raises:
          ArgumentError: there was no input, so that nobody knows what a result looks like.
        """
        members = list(self._outcomes)
        if not members:
            raise ArgumentError("map had no input, so there is nothing to stack")
        return stack(members, self.stats)


def stack(members: list[Member], stats: Stats | None) -> Result:
    """One `Result` of several members."""
    value = tf.nest.map_structure(lambda *xs: tf.stack(xs), *(m.value for m in members))
    faults = {m.status: m.fault for m in members if m.fault is not None}
    status = tf.constant([m.status for m in members], tf.int32)
    return Result(value, status, stats, faults)


def map(
    f: Autobatched,
    inputs: Iterable[Any],
    *,
    lanes: int = 1024,
    schedule: str | None = None,
    jit: bool | None = None,
    max_stack_depth: int | None = None,
    max_stack_bytes: int | None = None,
    max_steps: int | None = None,
    **fixed: Any,
) -> Mapped:
    """Apply an autobatched function to a stream of inputs, with so many of them at a time.

    Inputs are read as lanes become free, and at most 16 per lane beyond the oldest one that has not
    ended, so that memory stays bounded however many there are.

    Args:
      f: the function.
      inputs: any iterable, a `tf.data.Dataset` too, of examples. An example is the value of f's
        parameter; where f takes several that are not fixed, a tuple of their values or a dict by
        name. All examples have one structure, and one dtype and shape in each leaf.
      lanes: how many members run at once.
      schedule, jit, max_stack_depth, max_stack_bytes: see `autobatch`.
      max_steps: at most so many turns of the loop for each member.
      **fixed: arguments that all examples have in common: those that are static, or shared by
        `in_axes`.

    Returns:
      A `Mapped`: iterate over it for the values, in input order. Nothing runs before that. Ctrl-C
      ends it: members that had not returned have the status CANCELLED, and iterating raises
      `Interrupted` with those.

    Raises:
      ArgumentError: an option cannot be, or examples do not fit the function or each other.

    ```python
    for length in pcbatch.map(collatz, range(1, 10_000_000), lanes=4096): ...
    ```
    """
    if not isinstance(f, Autobatched):
        raise ArgumentError(f"map takes a function made by pcbatch.autobatch, not {f!r}")
    if not isinstance(lanes, int) or lanes < 1:
        raise ArgumentError(f"lanes is {lanes!r}: a positive integer")
    options = f.options(
        strategy="pc",
        schedule=schedule,
        jit=jit,
        max_stack_depth=max_stack_depth,
        max_stack_bytes=max_stack_bytes,
        max_steps=max_steps,
    )
    started: list[Lanes] = []
    return Mapped(_outcomes(_Source(f, iter(inputs), fixed), lanes, options, started), started)


class _Source:
    """Reads examples and makes batches of them."""

    def __init__(self, f: Autobatched, examples: Iterator[Any], fixed: dict[str, Any]):
        self.f, self._examples, self._fixed = f, examples, fixed
        names = f.parameters()
        unknown = [name for name in fixed if name not in names]
        if unknown:
            raise ArgumentError(f"map: {f.__name__} has no parameter {unknown[0]!r}")
        self._names = [n for n in names if n not in fixed]
        self._form: Any = None
        self.read = 0

    def take(self, number: int) -> Arguments | None:
        """The next examples as a batch, at most so many; None at the end.

        Raises:
          ArgumentError: they do not fit those before.
        """
        examples = [self._named(x) for x in itertools.islice(self._examples, number)]
        if not examples:
            return None
        self.read += len(examples)
        stacked = {name: self._stack([x[name] for x in examples]) for name in examples[0]}
        arguments = self.f.read(**stacked, **self._fixed)
        self._form = self._form or _form(arguments)
        if _form(arguments) != self._form:
            raise ArgumentError(
                f"map: the examples up to number {self.read - 1} differ in structure, dtype or "
                f"shape from those before"
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
        flat, tree = structure.flatten(values[0])
        columns = [flat] + [structure.flatten(v)[0] for v in values[1:]]
        if any(structure.flatten(v)[1] != tree for v in values[1:]):
            raise ArgumentError(f"map: {self.f.__name__}: examples differ in structure")
        try:
            leaves = [_column(list(column)) for column in zip(*columns, strict=True)]
        except ValueError as error:
            raise ArgumentError(f"map: {self.f.__name__}: examples differ: {error}") from None
        return structure.unflatten(tree, leaves)


def _form(arguments: Arguments) -> Any:
    """What batches of any size have in common."""
    leaves = [
        (x.axis, x.weak) if x.axis == "static" else (x.axis, x.value.dtype, x.value.shape[1:])
        for x in arguments.leaves
    ]
    return list(arguments.trees.items()), leaves


def _column(values: list[Any]) -> Any:
    """One leaf of all examples with the batch in front; Python numbers as TensorFlow reads them."""
    if all(type(v) in (bool, int, float) for v in values):
        return tf.constant(values)
    return np.stack([np.asarray(v) for v in values])


def _outcomes(
    source: _Source, lanes: int, options: RunOptions, started: list[Lanes]
) -> Iterator[Member]:
    """Run, and give outcomes in input order."""
    first = source.take(lanes)
    if first is None:
        return
    specialization = source.f.specialize(first)
    running = Lanes(specialization, first, options)
    started.append(running)
    waiting: dict[int, Member] = {}
    following, more = 0, True
    while following < source.read:
        for ended in running.advance():
            for member in _members(specialization, ended):
                waiting[member.index] = member
        while following in waiting:
            yield waiting.pop(following)
            following += 1
        room = min(running.free, following + LOOK_AHEAD * lanes - source.read)
        if more and room > 0 and not running.cancelled:
            arguments = source.take(room)
            more = arguments is not None
            if arguments is not None:
                running.refill(arguments)


def _members(specialization: Specialization, ended: Ended) -> Iterator[Member]:
    """Take the outcomes of several lanes apart."""
    arrays = tf.nest.map_structure(np.asarray, ended.value)
    for row, (index, status) in enumerate(zip(ended.indices, ended.status, strict=True)):
        value = tf.nest.map_structure(lambda x, row=row: x[row], arrays)
        number = int(status)
        yield Member(index, value, number, ended.faults[number] if number else None)
