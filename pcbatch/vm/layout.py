"""Where each variable of a stack program lives.

Storage classes, cheapest first:
  temporary  lives inside one block; never stored.
  register   `[B, ...]`, one value per member.
  buffer     `[B * length, ...]`, written by element.
  stack      a share of a spill area; the top that a block works on is a register or a temporary.
  total      one value for all members, to which all add.

Variables that are pushed and popped at the same places share one *frame*: one stack pointer and,
per dtype, one flat spill area `[capacity * B, width]`, so that a push is one scatter and a pop one
gather per dtype. Rows are written by scatter with an out-of-range row for members that do not push;
no operation touches the rest of the area, so depth is free.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.liveness import Liveness, liveness

WIDE = 16
"""A variable of so many elements is written by itself to its columns of a row."""


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A variable's columns within its frame's spill area of its dtype."""

    variable: str
    dtype: str
    start: int
    shape: tuple[int, ...]

    @property
    def width(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def end(self) -> int:
        return self.start + self.width


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """Variables that are pushed and popped together."""

    fields: tuple[Field, ...]

    @property
    def dtypes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(f.dtype for f in self.fields))

    def width(self, dtype: str) -> int:
        return sum(f.width for f in self.fields if f.dtype == dtype)

    def parts(self, dtype: str) -> list[tuple[Field, ...]]:
        """The fields of a dtype; narrow neighbours, which are written together, in one part."""
        fields = (f for f in self.fields if f.dtype == dtype)
        wide = itertools.groupby(fields, key=lambda f: f.width >= WIDE and f.variable)
        return [tuple(group) for _, group in wide]

    def row_bytes(self) -> int:
        return sum(f.width * tf.as_dtype(f.dtype).size for f in self.fields)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The storage of a program.

    Attributes:
      registers: every variable that must survive a block.
      frames: the stacks.
      buffers, totals: by name.
      live: the liveness that it rests on.
      tapes: the numbers of the frames that are tapes.
    """

    registers: tuple[str, ...]
    frames: tuple[Frame, ...]
    buffers: Mapping[str, ir.BufferType]
    live: Liveness
    totals: Mapping[str, ir.TensorType]
    tapes: frozenset[int]

    def frames_of(self, variables: tuple[str, ...]) -> tuple[int, ...]:
        """The frames that a set of pushed or popped variables makes up."""
        wanted = set(variables)
        return tuple(
            i for i, f in enumerate(self.frames) if any(x.variable in wanted for x in f.fields)
        )


def pushed(block: ir.Block) -> tuple[str, ...]:
    return tuple(op.variable for op in block.operations if isinstance(op, ir.Push))


def popped(block: ir.Block) -> tuple[str, ...]:
    return tuple(op.variable for op in block.operations if isinstance(op, ir.Pop))


def _frames(program: ir.StackProgram) -> tuple[Frame, ...]:
    """Group the stack variables by the blocks that push and pop them."""
    sites: dict[str, tuple[list[str], list[str]]] = {}
    for block in program.blocks:
        for variable in pushed(block):
            sites.setdefault(variable, ([], []))[0].append(block.label)
        for variable in popped(block):
            sites.setdefault(variable, ([], []))[1].append(block.label)
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for variable, (pushes, pops) in sites.items():
        groups.setdefault((tuple(pushes), tuple(pops)), []).append(variable)
    return tuple(_frame(program, variables) for variables in groups.values())


def _frame(program: ir.StackProgram, variables: list[str]) -> Frame:
    """Lay out the rows of a frame: wide variables first, narrow ones side by side behind them."""
    fields, start = [], dict[str, int]()
    for variable in sorted(variables, key=lambda name: _size(program, name) < WIDE):
        type_ = program.types[variable]
        field = Field(variable, type_.dtype, start.get(type_.dtype, 0), type_.shape)
        start[type_.dtype] = field.start + field.width
        fields.append(field)
    return Frame(tuple(fields))


def _size(program: ir.StackProgram, variable: str) -> int:
    return int(np.prod(program.types[variable].shape, dtype=np.int64))


def layout(program: ir.StackProgram) -> Layout:
    """Decide where every variable of a program lives."""
    live = liveness(flow.of_stack(program))
    stored: dict[str, None] = dict.fromkeys((*program.inputs, program.address, *program.outputs))
    for block in program.blocks:
        stored.update(dict.fromkeys(sorted(live.at_start[block.label])))
        # An operation reads what only its dead targets need, where nothing has removed these.
        stored.update(dict.fromkeys(_read_first(live.flow, block.label)))
    frames = _frames(program)
    tapes = frozenset(
        i for i, f in enumerate(frames) if any(x.variable in program.tapes for x in f.fields)
    )
    return Layout(tuple(stored), frames, program.buffers, live, program.totals, tapes)


def _read_first(view: flow.Flow, label: str) -> list[str]:
    """The variables that a block reads before it assigns them."""
    found, assigned = list[str](), set[str]()
    for instruction in view.instructions(label):
        found += [name for name in view.reads(instruction) if name not in assigned]
        assigned.update(effects.writes(instruction))
    return found
