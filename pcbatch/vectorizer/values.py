"""What a tensor of the single-example graph stands for in the batched one.

A *plain* value is a tensor that is the same for all members (*shared*) or has one row per member
(*stacked*: the batch on axis 0). A *list* stands for one of TensorFlow's tensor lists: the
elements lie along axis 0 of ordinary tensors, the batch inside each element, so that XLA compiles
whatever is done with them, in forward and in reverse mode. *Absent* stands for a value that is
never read (the optional of a branch that was not taken).

A *kind* is the static part of a value. Loops and conditionals carry values flattened to tensors by
their kind, and join kinds until nothing changes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from pcbatch.backend.materialize import spread
from pcbatch.backend.private import xla_operations
from pcbatch.vectorizer.kinds import (
    ANY,
    AbsentKind,
    Kind,
    ListKind,
    OptionsKind,
    PlainKind,
    Range,
    only,
    parts,
)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """A tensor, shared or stacked, with what is known of it statically."""

    tensor: tf.Tensor
    stacked: bool
    range: Range = ANY
    static: np.ndarray | None = None

    @property
    def kind(self) -> PlainKind:
        shape = tuple(self.tensor.shape.as_list()[1:] if self.stacked else self.tensor.shape)
        return PlainKind(self.tensor.dtype, shape, self.stacked, self.range)

    def local(self) -> tf.Tensor:
        """The tensor, as a constant of the current graph where its value is known."""
        if self.static is None:
            return self.tensor
        here = tf.compat.v1.get_default_graph()
        if tf.is_symbolic_tensor(self.tensor) and self.tensor.graph is here:
            return self.tensor
        return tf.constant(self.static, self.tensor.dtype)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ListOf:
    """A list: tensors with the elements along axis 0.

    Attributes:
      element, capacity, sealed, repeated: see `ListKind`.
      rows: one tensor `[capacity, ...]` per tensor of an element.
      length: int32, the number of elements.
      origin: the list from which this one comes by writing, pushing and popping alone.
      pushes: at most so many pushes since then.
      single: the index and the element, where all others are zero and `rows` are not yet made.
      popped: whether it may have lost elements, so that the list that an inactive member keeps may
        be longer.
    """

    element: Kind | None
    capacity: int | None
    sealed: bool
    rows: tuple[tf.Tensor, ...]
    length: Plain
    origin: object = dataclasses.field(default_factory=object)
    pushes: int = 0
    single: tuple[Plain, Value] | None = None
    repeated: Plain | None = None
    popped: bool = False

    @property
    def kind(self) -> ListKind:
        return ListKind(self.element, self.capacity, self.sealed, self.length.kind, self.repeated)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Absent:
    """A value that nothing reads."""

    @property
    def kind(self) -> AbsentKind:
        return AbsentKind()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Options:
    """One of several values, told apart by their types when read."""

    values: tuple[Value, ...]

    @property
    def kind(self) -> OptionsKind:
        return OptionsKind(tuple(v.kind for v in self.values))


Value = Plain | ListOf | Absent | Options


@dataclasses.dataclass(frozen=True, eq=False)
class BatchLast:
    """A stacked value with the members in the columns, on the last axis; see `matmul.batch_last`.

    Only an interpreter has such values: what is not made for them is given `rows`.
    """

    tensor: tf.Tensor

    @property
    def kind(self) -> PlainKind:
        return PlainKind(self.tensor.dtype, tuple(self.tensor.shape[:-1]), True)

    @functools.cached_property
    def rows(self) -> Plain:
        """The same with the batch on axis 0."""
        last = self.tensor.shape.rank - 1
        return stacked(tf.transpose(self.tensor, [last, *range(last)]) if last else self.tensor)


# --- Plain values -----------------------------------------------------------------------------


def shared(tensor: tf.Tensor) -> Plain:
    """A value that is the same for all members."""
    handle = tensor.dtype in (tf.resource, tf.variant)
    static = None if handle else tf.get_static_value(tensor)
    if static is None:
        return Plain(tensor, False)
    static = np.asarray(static)
    if static.size > 1024:
        return Plain(tensor, False)
    limits = ANY
    if static.ndim == 0 and tensor.dtype.is_integer:
        limits = Range(int(static), int(static))
    return Plain(tensor, False, limits, static)


def stacked(tensor: tf.Tensor) -> Plain:
    """A value with one row per member."""
    return Plain(tensor, True)


def plain(value: Value) -> Plain:
    """The value, which is a tensor."""
    assert isinstance(value, Plain)
    return value


def int32(number: int) -> Plain:
    return shared(tf.constant(number, tf.int32))


def stack(value: Plain, size: int) -> tf.Tensor:
    """The tensor with the batch on axis 0, repeated where it is shared."""
    if value.stacked:
        return value.tensor
    tensor = value.local()
    shape: Sequence[int] | tf.Tensor = [size, *tensor.shape]
    if not tensor.shape.is_fully_defined():
        shape = tf.concat([[size], tf.shape(tensor)], 0)
    return tf.broadcast_to(tensor[tf.newaxis], shape)


def rowwise(mask: tf.Tensor, rank: int, axis: int = 0) -> tf.Tensor:
    """`bool[B]` reshaped so that it selects along `axis` of a tensor of some rank."""
    shape = [1] * rank
    shape[axis] = mask.shape[0]
    return tf.reshape(mask, shape)


def select(mask: tf.Tensor, new: tf.Tensor, old: tf.Tensor, axis: int = 0) -> tf.Tensor:
    """`new` for the members of the mask, `old` for the others; the batch is on `axis`."""
    if new.shape.rank > 1 and xla_operations.under_xla():
        mask = spread(mask)
    return tf.where(rowwise(mask, new.shape.rank, axis), new, old)


def with_donor(mask: tf.Tensor, tensor: tf.Tensor) -> tf.Tensor:
    """Members outside the mask get the value of one inside it, which cannot fail or hang."""
    donor = tf.argmax(tf.cast(mask, tf.int32), output_type=tf.int32)
    # By a gather: TensorFlow's compiler would try to find out whether the place of a slice is a
    # constant, and abort where it depends on a kernel.
    return select(mask, tensor, tf.gather(tensor, donor[tf.newaxis]))


def flatten(value: Value) -> list[tf.Tensor]:
    match value:
        case Plain(tensor):
            return [tensor]
        case ListOf():
            return [*value.rows, value.length.tensor]
        case Options(values):
            return [t for v in values for t in flatten(v)]
        case _:
            return []


def unflatten(kind: Kind, tensors: Sequence[tf.Tensor]) -> Value:
    match kind:
        case PlainKind(stacked=is_stacked, range=limits):
            (tensor,) = tensors
            return Plain(tensor, is_stacked, limits, None if is_stacked else only(kind))
        case ListKind(element, capacity, sealed, length, repeated):
            *rows, number = tensors
            count = unflatten(length, [number])
            assert isinstance(count, Plain)
            assert repeated is None or isinstance(repeated, Plain)
            return ListOf(element, capacity, sealed, tuple(rows), count, repeated=repeated)
        case OptionsKind(kinds):
            return Options(tuple(unflatten_all(kinds, tensors)))
        case _:
            return Absent()


def unflatten_all(kinds: Sequence[Kind], tensors: Sequence[tf.Tensor]) -> list[Value]:
    """The values of some kinds, from all their tensors."""
    return [unflatten(k, part) for k, part in zip(kinds, parts(kinds, tensors), strict=True)]
