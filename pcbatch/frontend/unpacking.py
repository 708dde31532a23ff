"""Assignments to several targets, and sequence patterns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pcbatch.semantics import faults, maybe_none, operators, sharing
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.lists import Held, MemberDeque, MemberList, reductions
from pcbatch.semantics.lists.tuples import tuple_of_characters
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.static_values import MemberSequence


def unpack(value: Any, before: int, after_star: int | None = None) -> tuple[Any, ...]:
    """Split a value over the targets of an assignment.

    Args:
      value: a tensor (along its leading axis) or any Python iterable.
      before: the number of targets, or of those before the starred one.
      after_star: the number of targets after the starred one; None where there is none.

    Returns:
      One value per target; the starred target's is a list.

    Raises:
      TypeError: the value cannot be split.
      ValueError: it has too many or too few elements.
    """
    if isinstance(value, MaybeNone):
        value = maybe_none.unpacked(value)
    if isinstance(value, ChosenText):
        value = tuple_of_characters(value)
    if isinstance(value, Held) and not isinstance(value, MemberDeque):
        value = reductions.call(list, (value,), {})
    if isinstance(value, MemberSequence) and operators.is_tensor(value.length()):
        return _unpacked(value, before, after_star)
    if operators.is_tensor(value):
        items = tuple(sharing.rows(value, [value[k] for k in range(_leading_dimension(value))]))
    elif isinstance(value, Iterable):
        items = tuple(value)
    else:
        raise TypeError(f"cannot unpack {type(value).__name__} into {before} variables")
    least = before + (after_star or 0)
    if after_star is None:
        if len(items) != before:
            raise ValueError(f"cannot unpack {len(items)} elements into {before} variables")
        return items
    if len(items) < least:
        raise ValueError(f"cannot unpack {len(items)} elements into at least {least} variables")
    end = len(items) - after_star
    return *items[:before], list(items[before:end]), *items[end:]


def _unpacked(value: MemberSequence, before: int, after_star: int | None) -> tuple[Any, ...]:
    """The same of as many elements as the member has; one that has too few or too many stops."""
    length, least = value.length(), before + (after_star or 0)
    more = "at least " * (after_star is not None)
    expected = f"ValueError: not enough values to unpack (expected {more}{least}, got {{n}})"
    faults.require(length >= least, expected)
    if after_star is None:
        faults.require(length <= least, f"ValueError: too many values to unpack (expected {least})")
        return tuple(value[k] for k in range(before))
    last = [value[k - after_star] for k in range(after_star)]
    return *(value[k] for k in range(before)), middle(value, before, after_star), *last


def _leading_dimension(value: Any) -> int:
    if value.shape.rank == 0:
        raise TypeError("cannot unpack a scalar tensor")
    if value.shape.rank is None or value.shape[0] is None:
        raise ValueError("unpacking a tensor needs a static leading dimension")
    return int(value.shape[0])


def is_sequence(value: Any, least: int, more: bool) -> Any:
    """Whether a sequence pattern of so many parts, or with a starred one beside, may match."""
    if isinstance(value, (MemberList, MemberDeque)):
        return operators.compare(">=" if more else "==", value.length(), least)
    if not isinstance(value, (tuple, list)):
        return False
    return len(value) >= least if more else len(value) == least


def middle(value: Any, before: int, after: int) -> Any:
    """What a starred part of a sequence pattern takes."""
    if isinstance(value, (MemberList, MemberDeque)):
        whole = reductions.call(list, (value,), {})
        return whole[before : operators.binary("-", value.length(), after)]
    return list(value[before : len(value) - after])
