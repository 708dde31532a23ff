"""What an expression iterates over."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import maybe_none, sharing
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.meanings import gone_over
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.operators import is_tensor, is_weak, mark_weak
from pcbatch.semantics.rounds import UnknownLength, limited
from pcbatch.semantics.texts import Text

MAX_ITERATED = 10_000
"""More rows of a tensor than this, each with code of its own, are taken for a mistake."""


def iterated(value: Any, pattern: tuple[Any, ...] | None = None) -> Any:
    """Return what an expression iterates over: a tensor becomes a list of its rows.

    Args:
      value: a tensor with a static leading axis, or anything that Python can iterate over.
      pattern: how the target takes each element apart: None for a name, else one pattern per part,
        () where the parts are all names. A tensor that is taken apart becomes a list, too.

    Raises:
      TypeError: the value is a scalar tensor.
      ValueError: its leading axis is not static, or too long.
    """
    return limited(rows_of(value, pattern))


def rows_of(value: Any, pattern: tuple[Any, ...] | None = None) -> Any:
    """The same, of which a trial does not count the rounds."""
    value = elements(value)
    if isinstance(value, (ChosenText, Text)):
        raise UnknownLength("iterating over a tensor needs a static leading dimension")
    items = _rows(value) if is_tensor(value) else value
    return items if pattern is None else (_opened(item, pattern) for item in items)


def elements(value: Any) -> Any:
    """The elements of a buffer, as a tensor; anything else as it is."""
    if isinstance(value, MaybeNone):
        value = maybe_none.gone_over(value)
    value = gone_over(value)
    return value.array if isinstance(value, Buffer) else value


def _rows(value: Any) -> list[Any]:
    if value.shape.rank == 0:
        raise TypeError("a scalar tensor cannot be iterated over")
    if value.shape.rank is None or value.shape[0] is None:
        raise UnknownLength("iterating over a tensor needs a static leading dimension")
    if value.shape[0] > MAX_ITERATED:
        raise UnknownLength(
            f"an expression takes each of the {value.shape[0]} rows of this tensor on its own, "
            f"and more than {MAX_ITERATED} are too many: use operations on whole tensors"
        )
    rows: list[Any] = sharing.rows(value, tf.unstack(value))
    return [mark_weak(row) for row in rows] if is_weak(value) else rows


def _opened(value: Any, pattern: tuple[Any, ...] | None) -> Any:
    if pattern is None:
        return value
    parts = rows_of(value)
    if not any(part is not None for part in pattern):
        return parts
    parts = list(parts)
    if len(parts) != len(pattern):  # Python says so.
        return parts
    return [_opened(part, inner) for part, inner in zip(parts, pattern, strict=True)]
