"""Arrays that hold several rows for each member: the spill areas of stacks, and buffers.

A lane reads or writes one row of its member's at a time; the rest stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.target import Target
from pcbatch.vectorizer import select
from pcbatch.vectorizer.segments import Batch
from pcbatch.vm.area_segments import BufferSegment
from pcbatch.vm.block_info import BlockInfo, Prepared
from pcbatch.vm.carry import State
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.layout import Field, Frame
from pcbatch.vm.room import Rows


class Stacks:
    """Stacks and buffers of a program.

    Args:
      prepared: the program.
      batch_size: B.
      target: the compiler and the processor.
    """

    def __init__(self, prepared: Prepared, batch_size: int, target: Target):
        self.layout, self.buffers = prepared.layout, prepared.program.buffers
        self.position = {name: i for i, name in enumerate(self.layout.buffers)}
        self.batch_size, self.target = batch_size, target

    def room(self, code: BlockInfo, state: State) -> tf.Tensor | None:
        """bool[B]: members with room for the block's pushes; None where it pushes nothing."""
        masks = [state.pointers[f] < self.capacity(state, f) for f in code.pushes]
        return tf.reduce_all(tf.stack(masks), 0) if masks else None

    def capacity(self, state: State, frame: int) -> int:
        """How many rows each member has in a frame's spill area."""
        return int(state.spills[frame][0].shape[0]) // max(self.batch_size, 1)

    def capacities(self, state: State) -> Rows:
        """By frame, how many rows each member has."""
        return tuple(self.capacity(state, f) for f in range(len(state.spills)))

    def pop(self, code: BlockInfo, state: State, lanes: Lanes, env: Batch) -> State:
        """Take what a block pops off its stacks; `env` receives it."""
        pointers = list(state.pointers)
        for f in code.pops:
            pointer = lanes.read(pointers[f]) - tf.cast(lanes.mask, tf.int32)
            pointers[f] = lanes.write(self.target, pointer, pointers[f])
            row = self._row(state, f, pointer, lanes)
            areas = dict(zip(self.layout.frames[f].dtypes, state.spills[f], strict=True))
            for field in self.layout.frames[f].fields:
                env[field.variable] = self._saved(areas[field.dtype], field, row)
        return state._replace(pointers=tuple(pointers))

    def push(self, code: BlockInfo, state: State, lanes: Lanes, env: Batch) -> State:
        """Save what a block pushes on its stacks."""
        for f in code.pushes:
            state = self.push_rows(f, state, lanes, pack(self.layout.frames[f], env))
        return state

    def push_rows(
        self, frame: int, state: State, lanes: Lanes, rows: list[list[tf.Tensor]]
    ) -> State:
        """Save one row per lane and dtype in a frame's spill areas; it may be in parts."""
        pointers, spills = list(state.pointers), list(state.spills)
        pointer = lanes.read(pointers[frame])
        row = self._row(state, frame, pointer, lanes)
        spills[frame] = tuple(
            self._scatter(area, row, values, lanes)
            for area, values in zip(spills[frame], rows, strict=True)
        )
        above = pointer + tf.cast(lanes.mask, tf.int32)
        pointers[frame] = lanes.write(self.target, above, pointers[frame])
        return state._replace(pointers=tuple(pointers), spills=tuple(spills))

    def _row(self, state: State, frame: int, pointer: tf.Tensor, lanes: Lanes) -> tf.Tensor:
        """int32[lanes]: the row of a frame's spill area that each lane's pointer stands for."""
        depth = tf.clip_by_value(pointer, 0, self.capacity(state, frame) - 1)
        return lanes.rows(depth, self.batch_size)

    def _scatter(
        self, area: tf.Tensor, row: tf.Tensor, parts: list[tf.Tensor], lanes: Lanes
    ) -> tf.Tensor:
        """Write the i-th of some values, which are in parts, at `row[i]` where the mask holds.

        The rows of two members are never the same. XLA drops updates of out-of-range rows;
        TensorFlow's own kernels refuse them, so there a member outside the mask writes back what
        stands in its row.
        """
        if self.target.xla:
            row = tf.where(lanes.mask, row, area.shape[0])
            tuning = self.target.tuning
            at_once = tuning.rows_in_a_turn(self.batch_size) if lanes.is_compacted else 1
            return self.target.write_parts(area, row, parts, lanes.known, at_once)
        values = select(lanes.mask, tf.concat(parts, 1), tf.gather(area, row))
        return tf.tensor_scatter_nd_update(area, tf.expand_dims(row, 1), values)

    def _saved(self, area: tf.Tensor, field: Field, row: tf.Tensor) -> tf.Tensor:
        """What some rows of a spill area have of a field."""
        columns = slice(field.start, field.end)
        # XLA makes one operation of both, and loads nothing that nothing needs: from rows that are
        # gathered whole LLVM takes columns one by one, for the last vector of lanes. TensorFlow's
        # own kernels would copy the columns of all rows.
        in_one = self.target.xla
        found = tf.gather(area[:, columns], row) if in_one else tf.gather(area, row)[:, columns]
        return tf.reshape(found, [row.shape[0], *field.shape])

    def read(self, segment: BufferSegment, state: State, lanes: Lanes) -> Batch:
        """The buffers that a segment reads, whole, for the lanes."""
        found = {}
        for name in segment.buffers:
            type_ = self.buffers[name]
            area = state.buffers[self.position[name]]
            by_member = tf.reshape(area, [self.batch_size, type_.length, *type_.element.shape])
            found[name] = lanes.read_areas(by_member)
        return found

    def first_rows(self, buffer: str, lanes: Lanes) -> tf.Tensor:
        """int32[lanes]: where a buffer keeps the first elements of the lanes' members."""
        return lanes.elements(tf.zeros(lanes.mask.shape, tf.int32), self.buffers[buffer].length)

    def store(self, op: ir.Store, state: State, lanes: Lanes, env: Batch) -> State:
        """Write a row of a buffer, or an element; an index outside of it writes nothing."""
        type_ = self.buffers[op.buffer]
        rows, shape = type_.rows(op.several), type_.row(op.several).shape
        index = tf.cast(env[op.index], tf.int32)
        index = tf.where(index < 0, index + rows, index)
        inside = lanes.mask & (index >= 0) & (index < rows)
        row = lanes.elements(tf.clip_by_value(index, 0, rows - 1), rows)
        buffers = list(state.buffers)
        written = lanes._replace(mask=inside, moved=())
        position = self.position[op.buffer]
        area = tf.reshape(buffers[position], [self.batch_size * rows, *shape])
        area = self._scatter(area, row, [env[op.value]], written)
        buffers[position] = tf.reshape(area, buffers[position].shape)
        return state._replace(buffers=tuple(buffers))


def pack(frame: Frame, env: Batch) -> list[list[tf.Tensor]]:
    """One row per lane and dtype, the values to save: its parts, one behind the other."""
    return [[_together(part, env) for part in frame.parts(dtype)] for dtype in frame.dtypes]


def _together(part: Sequence[Field], env: Batch) -> tf.Tensor:
    values = [env[field.variable] for field in part]
    flat = [tf.reshape(x, [x.shape[0], f.width]) for x, f in zip(values, part, strict=True)]
    return tf.concat(flat, 1) if len(flat) > 1 else flat[0]
