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
from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf


class Unlike(ValueError):
    """Two values that should be of one kind are not."""


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """Static bounds of an integer scalar; None where not known."""

    lower: int | None = None
    upper: int | None = None

    def join(self, other: Range) -> Range:
        lower = None if None in (self.lower, other.lower) else min(self.lower, other.lower)  # type: ignore[type-var]
        upper = None if None in (self.upper, other.upper) else max(self.upper, other.upper)  # type: ignore[type-var]
        return Range(lower, upper)


ANY = Range()


@dataclasses.dataclass(frozen=True, slots=True)
class PlainKind:
    """A tensor: its dtype, the shape for one member, whether it is stacked."""

    dtype: tf.DType
    shape: tuple[int, ...]
    stacked: bool
    range: Range = ANY


@dataclasses.dataclass(frozen=True, slots=True)
class ListKind:
    """A list.

    Attributes:
      element: of which kind each element is; None while nothing has been written.
      capacity: rows set aside; None where they grow with each push.
      sealed: a push writes into a row that is there, it never makes one.
      length: the kind of the number of elements.
    """

    element: Kind | None
    capacity: int | None
    sealed: bool
    length: PlainKind


@dataclasses.dataclass(frozen=True, slots=True)
class AbsentKind:
    """A value that nobody reads."""


@dataclasses.dataclass(frozen=True, slots=True)
class OptionsKind:
    """One of several values, told apart by their types when read.

    The gradient of a conditional keeps what either branch computed in the same variable.
    """

    kinds: tuple[Kind, ...]


Kind = PlainKind | ListKind | AbsentKind | OptionsKind


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
      element, capacity, sealed: see `ListKind`.
      rows: one tensor `[capacity, ...]` per tensor of an element.
      length: int32, the number of elements.
      origin: the list from which this one comes by writing, pushing and popping alone.
      pushes: at most so many pushes since then.
      single: the index and the element, where all others are zero and `rows` are not yet made.
    """

    element: Kind | None
    capacity: int | None
    sealed: bool
    rows: tuple[tf.Tensor, ...]
    length: Plain
    origin: object = dataclasses.field(default_factory=object)
    pushes: int = 0
    single: tuple[Plain, Value] | None = None

    @property
    def kind(self) -> ListKind:
        return ListKind(self.element, self.capacity, self.sealed, self.length.kind)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Absent:
    """A value that nobody reads."""

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


def int32(number: int) -> Plain:
    return shared(tf.constant(number, tf.int32))


def stack(value: Plain, size: int) -> tf.Tensor:
    """The tensor with the batch on axis 0, repeated where it is shared."""
    if value.stacked:
        return value.tensor
    tensor = value.local()
    return tf.broadcast_to(tensor[tf.newaxis], [size, *tensor.shape])


def rowwise(mask: tf.Tensor, rank: int, axis: int = 0) -> tf.Tensor:
    """`bool[B]` reshaped so that it selects along `axis` of a tensor of some rank."""
    shape = [1] * rank
    shape[axis] = mask.shape[0]
    return tf.reshape(mask, shape)


def select(mask: tf.Tensor, new: tf.Tensor, old: tf.Tensor, axis: int = 0) -> tf.Tensor:
    """`new` for the members of the mask, `old` for the others; the batch is on `axis`."""
    return tf.where(rowwise(mask, new.shape.rank, axis), new, old)


# --- Kinds ------------------------------------------------------------------------------------


def specs(kind: Kind | None, size: int) -> Iterator[tf.TensorSpec]:
    """The tensors that a value of a kind consists of."""
    match kind:
        case PlainKind(dtype, shape, is_stacked):
            yield tf.TensorSpec([size, *shape] if is_stacked else shape, dtype)
        case ListKind(element, capacity, _, length):
            for spec in specs(element, size):
                yield tf.TensorSpec([capacity, *spec.shape], spec.dtype)
            yield from specs(length, size)
        case OptionsKind(kinds):
            for option in kinds:
                yield from specs(option, size)


def axes(kind: Kind | None, above: int = 0) -> Iterator[int | None]:
    """Where the batch is in each tensor of a value; None where it is shared."""
    match kind:
        case PlainKind(stacked=is_stacked):
            yield above if is_stacked else None
        case ListKind(element=element, length=length):
            yield from axes(element, above + 1)
            yield from axes(length, above)
        case OptionsKind(kinds):
            for option in kinds:
                yield from axes(option, above)


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
            return Plain(tensor, is_stacked, limits, None if is_stacked else _only(kind))
        case ListKind(element, capacity, sealed, length):
            *rows, number = tensors
            count = unflatten(length, [number])
            assert isinstance(count, Plain)
            return ListOf(element, capacity, sealed, tuple(rows), count)
        case OptionsKind(kinds):
            return Options(tuple(unflatten_all(kinds, tensors)))
        case _:
            return Absent()


def _parts(kinds: Sequence[Kind], tensors: Sequence[tf.Tensor]) -> Iterator[list[tf.Tensor]]:
    """Deal tensors out to kinds, in order."""
    start = 0
    for kind in kinds:
        width = sum(1 for _ in axes(kind))
        yield list(tensors[start : start + width])
        start += width


def unflatten_all(kinds: Sequence[Kind], tensors: Sequence[tf.Tensor]) -> list[Value]:
    """The values of some kinds, from all their tensors."""
    return [unflatten(k, part) for k, part in zip(kinds, _parts(kinds, tensors), strict=True)]


def _only(kind: PlainKind) -> np.ndarray | None:
    """The one number that a value of a kind can be."""
    lower, upper = kind.range.lower, kind.range.upper
    if lower is None or lower != upper:
        return None
    return np.asarray(lower, kind.dtype.as_numpy_dtype)


def without_range(kind: Kind) -> Kind:
    """The kind of any value of these dtypes and shapes; a list keeps its constant length."""
    match kind:
        case PlainKind():
            return dataclasses.replace(kind, range=ANY)
        case ListKind(element=element):
            return dataclasses.replace(
                kind, element=None if element is None else without_range(element)
            )
        case OptionsKind(kinds):
            return OptionsKind(tuple(map(without_range, kinds)))
    return kind


def join(a: Kind | None, b: Kind | None) -> Kind | None:
    """The least kind that both are instances of.

    Raises:
      Unlike: there is none.
    """
    match a, b:
        case (None | AbsentKind(), _):
            return b if b is not None else a
        case (_, None | AbsentKind()):
            return a
        case (PlainKind(), PlainKind()):
            if a.dtype != b.dtype or a.shape != b.shape:
                raise Unlike(f"a {a.dtype.name}{list(a.shape)} and a {b.dtype.name}{list(b.shape)}")
            return PlainKind(a.dtype, a.shape, a.stacked or b.stacked, a.range.join(b.range))
        case (ListKind(), ListKind()):
            length = join(a.length, b.length)
            assert isinstance(length, PlainKind)
            capacity = (
                None if None in (a.capacity, b.capacity) else max(a.capacity, b.capacity)  # type: ignore[type-var]
            )
            return ListKind(join(a.element, b.element), capacity, a.sealed or b.sealed, length)
        case (OptionsKind(), OptionsKind()):
            return OptionsKind(_joined_options(a.kinds, b.kinds))
    raise Unlike("a tensor and a list")


def _joined_options(a: Sequence[Kind], b: Sequence[Kind]) -> tuple[Kind, ...]:
    result = list(a)
    for kind in b:
        place = like(kind, result)
        if place is None:
            result.append(kind)
        else:
            joined = join(result[place], kind)
            assert joined is not None
            result[place] = joined
    return tuple(result)


def like(kind: Kind, kinds: Sequence[Kind]) -> int | None:
    """The first of some kinds that a kind can be joined with."""
    for place, other in enumerate(kinds):
        try:
            join(kind, other)
        except Unlike:
            continue
        return place
    return None


def stacked_kind(kind: Kind | None) -> Kind | None:
    """The kind with every tensor stacked."""
    match kind:
        case PlainKind(dtype, shape, _, limits):
            return PlainKind(dtype, shape, True, limits)
        case ListKind(element, capacity, sealed, length):
            longer = stacked_kind(length)
            assert isinstance(longer, PlainKind)
            return ListKind(stacked_kind(element), capacity, sealed, longer)
        case OptionsKind(kinds):
            return OptionsKind(tuple(stacked_kind(k) or k for k in kinds))
    return kind


def coerce(value: Value, kind: Kind, size: int) -> Value:
    """A value as one of a wider kind."""
    match kind:
        case PlainKind(stacked=True, range=limits) if isinstance(value, Plain):
            return Plain(stack(value, size), True, limits)
        case PlainKind(range=limits) if isinstance(value, Plain):
            static = value.static if limits == value.range else None
            return Plain(value.tensor, False, limits, static)
        case PlainKind():
            (spec,) = specs(kind, size)
            return Plain(tf.zeros(spec.shape, spec.dtype), kind.stacked, kind.range)
        case ListKind():
            if isinstance(value, ListOf):
                return _coerce_list(value, kind, size)
            return unflatten(kind, [_zeros(spec) for spec in specs(kind, size)])
        case OptionsKind(kinds):
            given = value.values if isinstance(value, Options) else ()
            places = [like(v.kind, kinds) for v in given]
            chosen = [
                given[places.index(i)] if i in places else Absent() for i in range(len(kinds))
            ]
            return Options(tuple(coerce(v, k, size) for v, k in zip(chosen, kinds, strict=True)))
        case _:
            return value


def _coerce_list(value: ListOf, kind: ListKind, size: int) -> ListOf:
    length = coerce(value.length, kind.length, size)
    assert isinstance(length, Plain)
    rows: Iterator[tf.Tensor]
    if not value.rows:
        count = value.capacity if kind.capacity is None else kind.capacity
        rows = _wider_rows(iter(()), None, kind.element, [count], size)
    else:
        have = value.rows[0].shape[0]
        rows = _wider_rows(iter(value.rows), value.element, kind.element, [have], size)
        rows = (_lengthen(row, kind.capacity) for row in rows)
    return dataclasses.replace(
        value,
        element=kind.element,
        capacity=kind.capacity,
        sealed=kind.sealed,
        rows=tuple(rows),
        length=length,
        single=None,
    )


def _wider_rows(
    rows: Iterator[tf.Tensor], old: Kind | None, new: Kind | None, lead: list[int | None], size: int
) -> Iterator[tf.Tensor]:
    """The rows of elements of a kind as rows of elements of a wider kind.

    Args:
      rows: of elements of kind `old`, one after the other.
      lead: the axes before the element: the number of rows, then the capacities of lists around it.
    """
    match new:
        case PlainKind():
            (spec,) = specs(new, size)
            shape = [*lead, *spec.shape]
            if not isinstance(old, PlainKind):
                yield _zeros(tf.TensorSpec(shape, new.dtype))
                return
            row = next(rows)
            if new.stacked and not old.stacked:
                row = tf.expand_dims(row, len(lead))
                wide = row.shape.as_list()
                wide[len(lead)] = size
                row = tf.broadcast_to(row, [tf.shape(row)[0] if d is None else d for d in wide])
            yield _lengthen_inside(row, shape)
        case ListKind(element, capacity, _, length):
            inside = old if isinstance(old, ListKind) else None
            deeper = [*lead, capacity]
            yield from _wider_rows(rows, inside and inside.element, element, deeper, size)
            yield from _wider_rows(rows, inside and inside.length, length, lead, size)
        case OptionsKind(kinds):
            before = old.kinds if isinstance(old, OptionsKind) else ()
            parts = list(_parts(before, list(rows) if before else []))
            places = [like(k, kinds) for k in before]
            for i, kind in enumerate(kinds):
                j = places.index(i) if i in places else None
                source = iter(()) if j is None else iter(parts[j])
                yield from _wider_rows(source, None if j is None else before[j], kind, lead, size)


def _lengthen_inside(row: tf.Tensor, shape: list[int | None]) -> tf.Tensor:
    """Pad the axes of a row of nested lists to the capacities of the wider kind."""
    wanted, have = shape[1:], row.shape.as_list()[1:]
    if wanted == have:
        return row
    if None in wanted or None in have:
        raise Unlike("nested lists whose lengths have no static bound")
    return tf.pad(row, [[0, 0], *([0, w - h] for w, h in zip(wanted, have, strict=True))])


def _lengthen(row: tf.Tensor, capacity: int | None) -> tf.Tensor:
    have = row.shape[0]
    if capacity is None or have is None or have >= capacity:
        return row
    return tf.concat([row, tf.zeros([capacity - have, *row.shape[1:]], row.dtype)], 0)


def _zeros(spec: tf.TensorSpec) -> tf.Tensor:
    return tf.zeros([0 if d is None else d for d in spec.shape], spec.dtype)
