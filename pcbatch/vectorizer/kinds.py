"""Kinds: the static part of values. Loops and conditionals join them until nothing changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

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
        return Range(_known(min, self.lower, other.lower), _known(max, self.upper, other.upper))


def _known(choose: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    """The smaller or the larger of two numbers; None where one of them is not known."""
    return None if a is None or b is None else choose(a, b)


ANY = Range()


@dataclasses.dataclass(frozen=True, slots=True)
class PlainKind:
    """A tensor: its dtype, the shape for one member, whether it is stacked."""

    dtype: tf.DType
    shape: tuple[int, ...]
    stacked: bool
    range: Range = ANY


class OfAKind(Protocol):
    """A value, of which kinds ask its kind and whether it is the same one."""

    @property
    def kind(self) -> PlainKind: ...


@dataclasses.dataclass(frozen=True, slots=True)
class ListKind:
    """A list.

    Attributes:
      element: of which kind each element is; None while nothing has been written.
      capacity: rows set aside; None where they grow with each push.
      sealed: a push writes into a row that is there, it never makes one.
      length: the kind of the number of elements.
      repeated: the value that every element is, where that is known; there are no rows then.
    """

    element: Kind | None
    capacity: int | None
    sealed: bool
    length: PlainKind
    repeated: OfAKind | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class AbsentKind:
    """A value that nothing reads."""


@dataclasses.dataclass(frozen=True, slots=True)
class OptionsKind:
    """One of several values, told apart by their types when read.

    The gradient of a conditional keeps what either branch computed in the same variable.
    """

    kinds: tuple[Kind, ...]


Kind = PlainKind | ListKind | AbsentKind | OptionsKind


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


def parts(kinds: Sequence[Kind], tensors: Sequence[tf.Tensor]) -> Iterator[list[tf.Tensor]]:
    """Deal tensors out to kinds, in order."""
    start = 0
    for kind in kinds:
        width = sum(1 for _ in axes(kind))
        yield list(tensors[start : start + width])
        start += width


def only(kind: PlainKind) -> np.ndarray | None:
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
            capacity = _known(max, a.capacity, b.capacity)
            if a.repeated is not None and a.repeated is b.repeated:
                return ListKind(None, capacity, a.sealed or b.sealed, length, a.repeated)
            element = join(_element(a), _element(b))
            return ListKind(element, capacity, a.sealed or b.sealed, length)
        case (OptionsKind(), OptionsKind()):
            return OptionsKind(_joined_options(a.kinds, b.kinds))
    raise Unlike("a tensor and a list")


def joined(a: Kind, b: Kind) -> Kind:
    """The least kind that both are instances of; see `join`."""
    kind = join(a, b)
    assert kind is not None
    return kind


def _element(kind: ListKind) -> Kind | None:
    return kind.element if kind.repeated is None else kind.repeated.kind


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
        case ListKind(element, capacity, sealed, length, repeated):
            longer = stacked_kind(length)
            assert isinstance(longer, PlainKind)
            return ListKind(stacked_kind(element), capacity, sealed, longer, repeated)
        case OptionsKind(kinds):
            return OptionsKind(tuple(stacked_kind(k) or k for k in kinds))
    return kind


def stacked_elements(kind: Kind) -> Kind:
    """The kind with every tensor stacked, but for the length of a list that is always the same."""
    whole = stacked_kind(kind)
    assert whole is not None
    if isinstance(kind, ListKind) and isinstance(whole, ListKind) and only(kind.length) is not None:
        return dataclasses.replace(whole, length=kind.length)
    return whole
