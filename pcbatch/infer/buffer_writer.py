"""Write what is done to buffers: where they are, what they hold, copies of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.infer.allocation import Allocation, Copy, Zeros
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import (
    WHICH,
    BufferRef,
    Leaf,
    NewBuffer,
    Shared,
    Static,
    Value,
    as_tensor,
    is_empty,
)
from pcbatch.infer.writer import Writer
from pcbatch.semantics import exceptions, faults, pytree


@dataclasses.dataclass
class New:
    """A buffer that a primitive makes.

    Attributes:
      making: where.
      contents: the variable with what it holds; "" for zeros.
      names: the variables that remember its room.
    """

    making: Allocation
    contents: str
    names: list[str] = dataclasses.field(default_factory=list)


class BufferWriter(Writer):
    """A `Writer` of operations on buffers."""

    def given(self, operand: Operand, span: Span, batched: bool = False) -> Iterator[str]:
        """The names of what a primitive is given for an operand."""
        for leaf, name in zip(operand.value.leaves, operand.names, strict=True):
            if batched and not isinstance(leaf, (Static, Shared)):
                yield self.argument(leaf, name, span)
            elif isinstance(leaf, BufferRef):
                for type_ in self.rooms.inputs(leaf):
                    yield name if type_ == WHICH else self.rooms.at(leaf).area
            elif name:
                yield name

    def argument(self, leaf: Leaf, name: str, span: Span) -> str:
        """A name for all that a leaf stands for."""
        if not isinstance(leaf, BufferRef):
            return name or self._materialize(leaf, name, as_tensor(leaf).type, span)
        alone = not is_empty(leaf.type.whole) and self.rooms.at(leaf).rooms == 1
        return self.rooms.at(leaf).area if alone else self.contents(leaf, name, span)

    def contents(self, leaf: BufferRef, name: str, span: Span) -> str:
        """A variable with a copy of what a buffer holds."""
        result, rooms = self._temporary(leaf.type.whole), self.rooms
        operand = Operand(Value(pytree.LEAF, (leaf,)), (name,))

        def copy(*given: tf.Tensor) -> tuple[tf.Tensor]:
            return (tf.identity(rooms.buffer(leaf, given).array),)

        self._add([result], copy, self.given(operand, span), f"contents of {leaf}", span)
        return result

    def number(self, leaf: BufferRef, span: Span) -> str:
        """A variable with the number of a buffer's room, where that is known."""
        return self._materialize(leaf, "", WHICH, span)

    def write(self, leaf: BufferRef, which: str, contents: str, span: Span) -> None:
        """Write all elements of a buffer."""
        if not is_empty(leaf.type.whole):
            area, length = self.rooms.at(leaf).area, leaf.type.length
            self._operations.append(ir.Store(area, which, contents, span, length))

    def store(
        self, buffer: Operand, index: Operand, value: Operand, message: str | None, span: Span
    ) -> None:
        """Emit a store, at the element's place among all rooms.

        Args:
          buffer: where to.
          index: of the element.
          value: its new value.
          message: what Python says of an index out of range; None for one that is not.
          span: the place in the user's source.
        """
        (leaf,), (which,) = buffer.value.leaves, buffer.names
        assert isinstance(leaf, BufferRef)
        if is_empty(leaf.type.whole):
            return
        element = leaf.type.element
        (index_leaf,), (value_leaf,) = index.value.leaves, value.value.leaves
        place = self._materialize(index_leaf, index.names[0], as_tensor(index_leaf).type, span)
        if message is not None and not isinstance(index_leaf, Static):
            self.check_index(place, leaf.type.length, message, span)
        stored = self._materialize(value_leaf, value.names[0], element, span)
        if self.rooms.at(leaf).rooms > 1:
            place = self.element_place(leaf, which, place, span)
        self._operations.append(ir.Store(self.rooms.at(leaf).area, place, stored, span))

    def check_index(self, index: str, length: int, message: str, span: Span) -> None:
        """Emit a check that an index is in range."""
        if faults.CHECKS.get() is False:
            return
        inside = self._temporary(ir.TensorType("bool", ()))

        def within(index: tf.Tensor) -> tuple[tf.Tensor]:
            return (exceptions.inside(index, length),)

        self._add([inside], within, [index], f"{index} is in range", span)
        self.check(inside, message, span)

    def check(self, condition: str, message: str, span: Span) -> None:
        """Emit what stops the members for which a condition does not hold."""
        self._operations.append(ir.Check(condition, message, span))

    def store_row(
        self, buffer: Operand, place: Operand, value: Operand, several: int, span: Span
    ) -> None:
        """Emit a store of so many elements that lie together; `place` counts such rows."""
        (leaf,), (which,) = buffer.value.leaves, buffer.names
        assert isinstance(leaf, BufferRef)
        if is_empty(leaf.type.whole) or not several:
            return
        (place_leaf,), (value_leaf,) = place.value.leaves, value.value.leaves
        row = self._materialize(place_leaf, place.names[0], WHICH, span)
        wanted = leaf.type.row(several)
        stored = self._materialize(value_leaf, value.names[0], wanted, span)
        at = self.rooms.at(leaf)
        if at.rooms > 1:
            rows, inside = leaf.type.rows(several), row

            def placed(row: tf.Tensor, *told: tf.Tensor) -> tuple[tf.Tensor]:
                room = told[0] if told else tf.constant(at.room, WHICH.dtype)
                return (room * rows + row,)

            row = self._temporary(WHICH)
            self._add([row], placed, [inside, *filter(None, [which])], f"row in {at.area}", span)
        self._operations.append(ir.Store(at.area, row, stored, span, several))

    def element_place(self, leaf: BufferRef, which: str, index: str, span: Span) -> str:
        """A variable with the place of an element among all rooms; behind them for none."""
        at, length = self.rooms.at(leaf), leaf.type.length

        def place(index: tf.Tensor, *told: tf.Tensor) -> tuple[tf.Tensor]:
            room = tf.cast(told[0] if told else at.room, tf.int64)
            index = tf.cast(index, tf.int64)
            index = tf.where(index < 0, index + length, index)
            inside = (index >= 0) & (index < length)
            return (tf.where(inside, room * length + index, at.rooms * length),)

        result = self._temporary(ir.TensorType("int64", ()))
        told = [which] if which else []
        self._add([result], place, [index, *told], f"place in {at.area}", span)
        return result

    def new(self, made: NewBuffer, making: Allocation) -> New:
        """A buffer that a primitive makes; a variable for what it holds if that is not zero."""
        begins_empty = made.is_zero or is_empty(made.type.whole)
        return New(making, "" if begins_empty else self._temporary(made.type.whole))

    def begin_buffer(self, new: New, span: Span) -> None:
        """Emit where a new buffer is, and what it holds."""
        reference, contents = new.making.reference, new.contents
        if is_empty(reference.type.whole):
            return
        first = BufferRef(reference.type, reference.rooms[:1])
        which = self._temporary(WHICH) if not contents else self.number(first, span)
        if not contents:
            contents = self._temporary(reference.type.whole)
            zeros = Zeros(self.rooms.number(first.rooms[0]), reference.type.whole)
            self._add([which, contents], zeros, [], "a new buffer", span)
        if first != reference:
            which = self.free_room(new.making, {}, span)
            self._move([(name, which) for name in new.names], span)
        self.write(reference, which, contents, span)

    def free_room(self, making: Allocation, elsewhere: Mapping[str, str], span: Span) -> str:
        """A variable with the number of a room in which no buffer is that is still in use.

        Args:
          making: of the buffer that is to be there.
          elsewhere: the variables of references that are not where they are called.
          span: where it is made.
        """
        own = [self.rooms.number(room) for room in making.reference.rooms]
        if len(own) == 1:
            return self.number(making.reference, span)
        fixed, names = list[int](), list[str]()
        for path, leaf in making.in_use:
            if len(leaf.rooms) == 1:
                fixed.append(self.rooms.number(leaf.rooms[0]))
            else:
                names.append(elsewhere.get(path) or self._leaf_name(path, leaf))

        def free(*used: tf.Tensor) -> tuple[tf.Tensor]:
            found = tf.constant(own[-1], WHICH.dtype)
            for room in reversed(own[:-1]):
                taken = tf.stack([tf.equal(room, x) for x in (*fixed, *used)])
                found = tf.where(tf.reduce_any(taken), found, room)
            return (found,)

        result = self._temporary(WHICH)
        self._add([result], free, names, "a free room", span)
        return result

    def own_copies(
        self,
        result: Operand,
        copies: Sequence[Copy],
        contents: Sequence[str],
        found: Sequence[str],
        span: Span,
    ) -> None:
        """Emit a caller's copies of the buffers that its callee has made.

        Args:
          result: of the call, as the caller has it.
          copies: of buffers in it.
          contents: the variables with what each holds.
          found: by leaf of the result, the variable with the room that the callee has told.
          span: of the call.
        """
        elsewhere = {copy.path: found[copy.leaf] for copy in copies}
        rooms = []
        for copy, held in zip(copies, contents, strict=True):
            rooms.append(self.free_room(copy.making, elsewhere, span))
            self.write(copy.making.reference, rooms[-1], held, span)
        for k, copy in enumerate(copies):
            if name := result.names[copy.leaf]:
                theirs = [found[c.leaf] for c in (copy, *(copies[i] for i in copy.same))]
                ours = [rooms[i] for i in (k, *copy.same)]
                told = [x for x in theirs if x]
                choose = self._chooser(copy, [copies[i] for i in copy.same], [*map(bool, theirs)])
                self._add([name], choose, [*told, *ours], "the caller's copy", span)

    def _chooser(
        self, copy: Copy, same: Sequence[Copy], told: Sequence[bool]
    ) -> Callable[..., tuple[tf.Tensor]]:
        """The primitive that says which room the caller means by a buffer that it is given.

        Args:
          copy: of the buffer.
          same: earlier copies, which may be of the same buffer.
          told: of this one and each of the others, whether the callee tells the room.

        Returns:
          A function of the rooms that the callee has told, and of the rooms of the copies.
        """
        numbers = [self.rooms.number(c.old.rooms[0]) for c in (copy, *same)]
        own = [self.rooms.number(room) for room in sorted(copy.own)]
        mixed = len(copy.own) < len(copy.old.rooms)

        def choose(*given: tf.Tensor) -> tuple[tf.Tensor]:
            supply = iter(given)
            theirs = [next(supply) if t else n for t, n in zip(told, numbers, strict=True)]
            ours = [*supply]
            found = ours[0]
            for other, room in [*zip(theirs[1:], ours[1:], strict=True)][::-1]:
                found = tf.where(tf.equal(theirs[0], other), room, found)
            if mixed:
                is_own = tf.reduce_any(tf.equal(theirs[0], tf.constant(own, WHICH.dtype)))
                found = tf.where(is_own, found, theirs[0])
            return (tf.identity(found),)

        return choose
