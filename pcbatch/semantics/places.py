"""Where an index leads to: each number is in range, or the member stops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import exceptions, faults


def is_dynamic(index: Any) -> bool:
    """Whether an index is a member's own; where nothing is traced, any tensor is."""
    if not isinstance(index, (tf.Tensor, tf.Variable)):
        return False
    return tf.executing_eagerly() or tf.get_static_value(index) is None


def check_range(shape: Any, parts: tuple[Any, ...], texts: tuple[str, ...]) -> None:
    """Look for integers that are out of range, and note where a member's own may be.

    Raises:
      IndexError: there is one; the text is NumPy's.
    """
    axis = 0
    for position, part in enumerate(parts):
        if part is None:
            continue
        if part is Ellipsis:
            axis = len(shape) - sum(p is not None for p in parts[position + 1 :])
            continue
        size = shape[axis] if axis < len(shape) else None
        if size is not None:
            _check_index(part, axis, size, shown(texts, position))
        axis += 1


def _check_index(part: Any, axis: int, size: int, text: str) -> None:
    if is_dynamic(part):
        if part.dtype.is_integer:
            exceptions.within(part, size, exceptions.bounds(text, axis, size))
        return
    for number in _constants(part):
        if not -size <= number < size:
            raise faults.exception(exceptions.bounds(number, axis, size))


def shown(texts: Sequence[str], position: int) -> str:
    """What a message shows of an index that is not known when the program is traced."""
    return f"{{{texts[position]}}}" if position < len(texts) else "{...}"


def _constants(index: Any) -> list[int]:
    """The integers in an index that are known when the program is traced."""
    if isinstance(index, (tf.Tensor, tf.Variable)):
        index = tf.get_static_value(index)
    if not isinstance(index, (int, np.integer, np.ndarray)):
        return []
    return [int(x) for x in np.ravel(index) if isinstance(x, np.integer)]


def gather(value: tf.Tensor, index: Any, axis: int) -> tf.Tensor:
    """Elements along an axis; negative indices count from the end.

    An index out of range takes the nearest element, as XLA does: lanes without a live member index
    with junk, so that it cannot be an error here.
    """
    index = tf.convert_to_tensor(index)
    if index.dtype == tf.bool:
        return tf.boolean_mask(value, index, axis=axis)
    if index.dtype not in (tf.int32, tf.int64):
        index = narrowed(index)
    if value.shape[axis] == 0:  # a member that reads from it has stopped
        shape = [*value.shape[:axis], *index.shape, *value.shape[axis + 1 :]]
        return tf.zeros(shape, value.dtype)
    return tf.gather(value, place(index, value.shape[axis]), axis=axis)


def narrowed(index: Any) -> tf.Tensor:
    """An index as int32: one that is too large for it stays out of range."""
    index = tf.convert_to_tensor(index)
    if index.dtype == tf.int64 or (index.dtype.is_unsigned and index.dtype.size >= 4):
        low = 0 if index.dtype.is_unsigned else tf.int32.min
        index = tf.clip_by_value(index, tf.constant(low, index.dtype), tf.int32.max)
    return tf.cast(index, tf.int32)


def number(index: Any, length: int) -> tf.Tensor:
    """Where integers of any type lead to, in range."""
    return place(tf.cast(narrowed(index), tf.int64), length)


def place(index: tf.Tensor, length: int) -> tf.Tensor:
    """Where an index leads to, in range."""
    index = tf.where(index < 0, index + length, index)
    return tf.clip_by_value(index, 0, max(length - 1, 0))


def first_of(found: tf.Tensor) -> tf.Tensor:
    """The first place that holds; 0 where none does."""
    return tf.argmax(tf.cast(found, tf.int32), output_type=tf.int32)
