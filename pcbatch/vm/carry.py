"""The carry of the machine: everything that it knows, as one value.

The machine can stop after any step and go on from the carry that it returned.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.resource_variable import Variable
from pcbatch.vm.layout import Layout
from pcbatch.vm.room import Rows
from pcbatch.vm.uninitialized import longer

Make = Callable[[list[int], tf.DType], Any]


class State(NamedTuple):
    """The carry.

    Attributes:
      pc: int32[B], the index of each member's next block; the number of blocks for a member that
        has returned or failed.
      fault: int32[B], 0, or 1 + the index of the `Fail` that stopped the member.
      registers: `[B, ...]` each, in the layout's order.
      pointers: int32[B] per frame, how many rows each member has saved.
      spills: per frame and dtype, `[capacity * B, width]`; row `depth * B + member`.
      buffers: `[B * length, ...]` each, in the layout's order.
      executions: int64[blocks], how often each block was run.
      active: int64[blocks], how many members it moved on, summed over its executions.
      steps: int64[], turns of the loop.
      totals: sums over all members, in the layout's order.
    """

    pc: tf.Tensor
    fault: tf.Tensor
    registers: tuple[tf.Tensor, ...]
    pointers: tuple[tf.Tensor, ...]
    spills: tuple[tuple[tf.Tensor, ...], ...]
    buffers: tuple[tf.Tensor, ...]
    executions: tf.Tensor
    active: tf.Tensor
    steps: tf.Tensor
    totals: tuple[tf.Tensor, ...] = ()


class Areas(NamedTuple):
    """The part of a carry that can be any size; the attributes are those of `State`.

    Each leaf is a tensor or a `Variable`.
    """

    spills: tuple[tuple[Any, ...], ...]
    buffers: tuple[Any, ...]
    totals: tuple[Any, ...] = ()


def split(state: State) -> tuple[State, Areas]:
    """A carry without its areas, and its areas."""
    areas = Areas(state.spills, state.buffers, state.totals)
    return state._replace(spills=(), buffers=(), totals=()), areas


def rest_of(leaves: Sequence[tf.Tensor], registers: int, pointers: int) -> State:
    """A carry without its areas.

    Args:
      leaves: in the order of `State`.
      registers, pointers: how many there are.
    """
    first, last = 2 + registers, 2 + registers + pointers
    pc, fault, executions, active, steps = *leaves[:2], *leaves[last:]
    held, saved = tuple(leaves[2:first]), tuple(leaves[first:last])
    return State(pc, fault, held, saved, (), (), executions, active, steps)


def joined(rest: State, areas: Areas) -> State:
    """The carry of both; variables are read."""

    def value(area: Any) -> tf.Tensor:
        return area.read() if isinstance(area, Variable) else area

    spills = tuple(tuple(map(value, frame)) for frame in areas.spills)
    buffers, totals = tuple(map(value, areas.buffers)), tuple(map(value, areas.totals))
    return rest._replace(spills=spills, buffers=buffers, totals=totals)


def stored(state: State, areas: Areas) -> State:
    """Put the areas of a carry into variables; returns the carry without its areas."""
    rest, changed = split(state)
    tf.nest.map_structure(lambda variable, area: variable.assign(area), areas, changed)
    return rest


class Start(NamedTuple):
    """Where a run begins, before a machine has made a carry of it.

    Attributes:
      inputs: the arguments by variable, `[B, ...]` each.
      members: int32[], how many lanes hold a member, the first ones.
    """

    inputs: Mapping[str, tf.Tensor]
    members: tf.Tensor


NEVER = 2**62


class Stop(NamedTuple):
    """When the loop returns to the host, which may go on from there as if it had not.

    Attributes:
      steps: int64[], after so many steps in all.
      work: int64[], after so much work in all, as `conditions.work` counts.
      ended: int32[], when so many members have ended; () where the host does not want to know,
        which saves counting them.
    """

    steps: tf.Tensor
    work: tf.Tensor
    ended: Any = ()


@functools.lru_cache(maxsize=256)
def stop(steps: int = NEVER, work: int = NEVER, ended: int | None = None) -> Stop:
    """A `Stop` of numbers, eager; equal ones are made once."""
    with tf.init_scope():
        return Stop(
            tf.constant(steps, tf.int64),
            tf.constant(work, tf.int64),
            () if ended is None else tf.constant(ended, tf.int32),
        )


def areas(
    layout: Layout,
    batch_size: int,
    rows: Rows,
    make_buffer: Make,
    make_spill: Make,
) -> Areas:
    """The areas of a carry.

    Args:
      layout: the storage of the program.
      batch_size: B.
      rows: by frame, how many each member has in its spill areas.
      make_buffer: makes a buffer, or a total, from shape and dtype: zeros.
      make_spill: makes a spill area, of which a row is written before it is read.
    """
    return Areas(
        spills=tuple(
            tuple(make_spill([count * batch_size, f.width(d)], d) for d in f.dtypes)
            for f, count in zip(layout.frames, rows, strict=True)
        ),
        buffers=tuple(
            make_buffer([batch_size * t.length, *t.element.shape], t.element.dtype)
            for t in layout.buffers.values()
        ),
        totals=tuple(make_buffer([*t.shape], t.dtype) for t in layout.totals.values()),
    )


def initial(
    program: ir.StackProgram,
    layout: Layout,
    start: Start,
    batch_size: int,
) -> State:
    """The state before the first step, without its areas.

    Args:
      program: what will run.
      layout: its storage.
      start: where it begins.
      batch_size: B.
    """
    halt = len(program.blocks)
    inputs, here = start.inputs, tf.range(batch_size) < start.members

    def register(name: str) -> tf.Tensor:
        if name in inputs:
            return tf.convert_to_tensor(inputs[name])
        type_ = program.types[name]
        if name == program.address:
            return tf.fill([batch_size], tf.constant(halt, type_.dtype))
        return tf.zeros([batch_size, *type_.shape], type_.dtype)

    return State(
        pc=tf.where(here, 0, halt),
        fault=tf.zeros([batch_size], tf.int32),
        registers=tuple(register(name) for name in layout.registers),
        pointers=tuple(tf.zeros([batch_size], tf.int32) for _ in layout.frames),
        spills=(),
        buffers=(),
        executions=tf.zeros([halt], tf.int64),
        active=tf.zeros([halt], tf.int64),
        steps=tf.zeros([], tf.int64),
    )


def enter(state: State, fresh: tf.Tensor, start: State) -> State:
    """The same state with the members of some lanes replaced by others at their start.

    Args:
      state: the carry.
      fresh: bool[B], the lanes.
      start: an initial state; the spill areas are not looked at.
    """

    def mixed(old: tf.Tensor, new: tf.Tensor) -> tf.Tensor:
        rows = tf.repeat(fresh, old.shape[0] // fresh.shape[0])
        return tf.where(tf.reshape(rows, [-1, *([1] * (old.shape.rank - 1))]), new, old)

    return state._replace(
        pc=mixed(state.pc, start.pc),
        fault=mixed(state.fault, start.fault),
        registers=tuple(map(mixed, state.registers, start.registers)),
        pointers=tuple(map(mixed, state.pointers, start.pointers)),
        buffers=tuple(map(mixed, state.buffers, start.buffers)),
    )


def grow(state: State, rows: Rows, batch_size: int) -> State:
    """The same state with so many rows per member in the spill areas of each frame."""

    def grown(area: tf.Tensor, count: int) -> tf.Tensor:
        return area if area.shape[0] == count else longer(area, count)

    return state._replace(
        spills=tuple(
            tuple(grown(area, count * batch_size) for area in frame)
            for frame, count in zip(state.spills, rows, strict=True)
        )
    )


def in_use(state: State) -> State:
    """The same eager state with spill areas no deeper than the deepest member needs."""
    batch_size = int(state.pc.shape[0])
    return state._replace(
        spills=tuple(
            tuple(area[: depth * batch_size] for area in frame)
            for frame, depth in zip(state.spills, depths(state), strict=True)
        )
    )


def depths(state: State) -> Rows:
    """By frame, how many rows the deepest member of an eager state has."""
    return tuple(int(np.max(pointer.numpy(), initial=0)) for pointer in state.pointers)
