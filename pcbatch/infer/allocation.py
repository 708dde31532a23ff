"""Where buffers are made: which room each gets, what is copied, and what need not be cleared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.infer.domain import WHICH, BufferRef, NewBuffer, Value
from pcbatch.infer.rooms import Rooms
from pcbatch.ir.analysis.calls import allocates_once
from pcbatch.semantics import pytree

Held = tuple[str, BufferRef]
"""A leaf of a variable, `path.q`, and the buffer that it refers to."""


@dataclasses.dataclass(frozen=True, slots=True)
class Allocation:
    """A buffer that an operation makes.

    Attributes:
      reference: the new buffer.
      in_use: which variables may hold a buffer that the same operation has made before.
    """

    reference: BufferRef
    in_use: tuple[Held, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Copy:
    """A buffer that a callee has made and returns; the caller gets a copy, in a room of its own.

    Attributes:
      path: where the caller has it.
      leaf: which leaf of the result it is.
      old: what the callee returns.
      own: the rooms among these that are the callee's; in any other it is the caller's already.
      making: the caller's copy.
      same: which earlier copies may be of the same buffer.
    """

    path: str
    leaf: int
    old: BufferRef
    own: frozenset[str]
    making: Allocation
    same: tuple[int, ...]


def held(values: Mapping[str, Value]) -> Iterator[Held]:
    """The buffers that some variables refer to."""
    for name, value in values.items():
        for path, leaf in zip(pytree.paths(value.tree, name), value.leaves, strict=True):
            if isinstance(leaf, BufferRef):
                yield path, leaf


def make(
    rooms: Rooms, key: Any, name: str, owner: str, type_: ir.BufferType, others: Iterable[Held]
) -> Allocation:
    """Find room for a buffer.

    Args:
      rooms: of the program.
      key: of the place in the program that makes it.
      name: how to call its room.
      owner: the specialization that makes it.
      type_: of the buffer.
      others: the buffers that may be read or written afterwards.
    """
    known = set(rooms.known(key))
    in_use = tuple(x for x in others if known & set(x[1].rooms))
    return Allocation(BufferRef(type_, rooms.make(key, name, owner, type_, len(in_use))), in_use)


def with_rooms(value: Value, makings: Mapping[int, Allocation]) -> Value:
    """A value with the buffers that an operation makes."""
    return dataclasses.replace(value, leaves=tuple(
        makings[x.number].reference if isinstance(x, NewBuffer) else x for x in value.leaves
    ))  # fmt: skip


def without_rooms(value: Value, rooms: frozenset[str]) -> Value:
    """A value whose buffers are not in some rooms."""
    return dataclasses.replace(value, leaves=tuple(
        BufferRef(x.type, tuple(r for r in x.rooms if r not in rooms))
        if isinstance(x, BufferRef)
        else x
        for x in value.leaves
    ))  # fmt: skip


def with_copies(value: Value, copies: Sequence[Copy]) -> Value:
    """A result with the caller's copies in the place of the callee's buffers."""
    leaves, made = list(value.leaves), [copy.making.reference.rooms for copy in copies]
    for copy, rooms in zip(copies, made, strict=True):
        others = (x for x in copy.old.rooms if x not in copy.own)
        same = (room for i in copy.same for room in made[i])
        leaves[copy.leaf] = BufferRef(copy.old.type, tuple(sorted({*rooms, *others, *same})))
    return dataclasses.replace(value, leaves=tuple(leaves))


@dataclasses.dataclass(frozen=True)
class Zeros:
    """The primitive that gives the number of a room and the zeros to begin with there."""

    room: int
    contents: ir.TensorType

    def __call__(self) -> tuple[tf.Tensor, tf.Tensor]:
        number = tf.constant(self.room, WHICH.dtype)
        return number, tf.zeros(self.contents.shape, self.contents.dtype)


def without_first_zeros(program: ir.Program) -> ir.Program:
    """Leave out to clear rooms that are used once: storage is zero from the start."""

    def change(function: ir.Function) -> ir.Function:
        blocks = tuple(
            dataclasses.replace(block, operations=tuple(_uncleared(program, function, block)))
            for block in function.blocks
        )
        return dataclasses.replace(function, blocks=blocks)

    functions = {name: change(f) for name, f in program.functions.items()}
    return dataclasses.replace(program, functions=functions)


def _uncleared(program: ir.Program, function: ir.Function, block: ir.Block) -> Iterator[Any]:
    cleared: set[str] = set()
    for op in block.operations:
        if isinstance(op, ir.Primitive) and isinstance(op.fn, Zeros):
            if allocates_once(program, function.name, block.label):
                cleared.update(op.targets)
                continue
        elif isinstance(op, ir.Store) and op.value in cleared:
            continue
        yield op


def shares_buffers(program: ir.Program, results: Mapping[str, Value], rooms: Rooms) -> bool:
    """Whether a function that returns a buffer of its own may be called more than once.

    Args:
      program: in typed call form.
      results: by function.
      rooms: of the program's buffers.
    """
    return any(
        rooms.owners[room] == name
        and not allocates_once(program, name, program.functions[name].blocks[0].label)
        for name, result in results.items()
        for _, leaf in held({"": result})
        for room in leaf.rooms
    )
