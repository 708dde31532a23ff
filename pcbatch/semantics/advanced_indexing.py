"""NumPy's advanced indexing of one member's array: lists and arrays of integers in an index.

The arrays of an index are broadcast, with the integers beside them, and choose elements together.
Their axes stand where they were in the index, or first where a slice stands between them.

Source: NumPy reference, "Advanced indexing".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.places import number


def as_arrays(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of an index: lists as arrays, and masks that are known as numbers."""
    return tuple(array for part in parts for array in _as_arrays(part))


def _as_arrays(part: Any) -> Iterator[Any]:
    if isinstance(part, list) and any(map(tf.is_tensor, tf.nest.flatten(part))):
        part = tf.stack([tf.cast(x, tf.int64) for x in part])
    elif isinstance(part, list):
        part = np.asarray(part if part else np.zeros(0, np.int64))
    if isinstance(part, np.ndarray) and part.dtype == bool and part.ndim:
        yield from part.nonzero()
    else:
        yield part


def is_array(part: Any) -> bool:
    """Whether a part of an index is an array of integers."""
    if isinstance(part, np.ndarray):
        return part.ndim > 0 and np.issubdtype(part.dtype, np.integer)
    return tf.is_tensor(part) and bool(part.shape.rank) and part.dtype.is_integer


def is_advanced(parts: tuple[Any, ...]) -> bool:
    """Whether the arrays of an index choose together: several, or one with integers beside it."""
    return any(map(is_array, parts)) and sum(map(_chooses, parts)) > 1


def _chooses(part: Any) -> bool:
    return not (part is None or part is Ellipsis or isinstance(part, slice))


def chosen(value: tf.Tensor, parts: tuple[Any, ...]) -> tf.Tensor:
    """The elements that an index chooses.

    Args:
      value: the array.
      parts: of the index, with several that choose.
    """
    parts = _without_ellipsis(parts, value.shape.rank)
    kept = tuple(slice(None) if _chooses(part) else part for part in parts)
    value = value[kept]
    axes = [axis for axis, part in enumerate(parts) if _chooses(part)]
    lengths = [value.shape[axis] for axis in axes]
    numbers = [number(parts[axis], n) for axis, n in zip(axes, lengths, strict=True)]
    flat: Any = tf.zeros([], numbers[0].dtype)
    for chosen_there, length in zip(numbers, lengths, strict=True):
        flat = flat * length + chosen_there
    others = [axis for axis in range(value.shape.rank) if axis not in axes]
    value = tf.transpose(value, [*axes, *others])
    rows = tf.reshape(value, [np.prod(lengths), *value.shape[len(axes) :]])
    if 0 in lengths:  # a member that reads from it has stopped
        found = tf.zeros([*flat.shape, *rows.shape[1:]], value.dtype)
    else:
        found = tf.gather(rows, flat)
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    return _moved(found, flat.shape.rank, axes[0] if together else 0)


def _without_ellipsis(parts: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    taken = sum(part is not None and part is not Ellipsis for part in parts)
    whole = (slice(None),) * (rank - taken)
    if not any(part is Ellipsis for part in parts):
        return (*parts, *whole)
    at = next(i for i, part in enumerate(parts) if part is Ellipsis)
    return (*parts[:at], *whole, *parts[at + 1 :])


def _moved(value: tf.Tensor, count: int, position: int) -> tf.Tensor:
    """An array whose first axes stand further behind."""
    axes = list(range(value.shape.rank))
    first, rest = axes[:count], axes[count:]
    return tf.transpose(value, [*rest[:position], *first, *rest[position:]])
