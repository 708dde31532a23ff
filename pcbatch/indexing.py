"""`value[index]` where the value or the index is a tensor of one member."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.buffers import Buffer


def indexed(value: Any) -> Any:
    """What `value[...]` is looked up in.

    Python decides for static containers with static indices. A tensor takes NumPy's basic indices,
    and integer tensors among them, which TensorFlow's slices would not vectorize over.
    """
    if isinstance(value, (tf.Tensor, tf.Variable, Buffer, np.ndarray)):
        return _Array(value.array if isinstance(value, Buffer) else value)
    if isinstance(value, (tuple, list)):
        return _Sequence(value)
    return value


def _is_dynamic(index: Any) -> bool:
    return isinstance(index, (tf.Tensor, tf.Variable)) and tf.get_static_value(index) is None


class _Sequence:
    """A tuple or a list: an index that is a tensor chooses among elements of one type."""

    def __init__(self, value: Any):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, (tf.Tensor, tf.Variable)):
            return self.value[index]
        stacked = tf.nest.map_structure(lambda *leaves: tf.stack(leaves), *self.value)
        return tf.nest.map_structure(lambda leaf: _gather(leaf, index, 0), stacked)


class _Array:
    """A tensor: each integer tensor in the index is a gather along its axis."""

    def __init__(self, value: Any):
        self.value = value

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if not any(map(_is_dynamic, parts)):
            return self.value[index]
        for part in parts:
            if isinstance(part, slice) and any(
                map(_is_dynamic, (part.start, part.stop, part.step))
            ):
                raise TypeError(
                    "a slice with bounds that depend on data has no fixed length; "
                    "use a mask, or tf.gather with a fixed number of indices"
                )
        return self._by_axis(parts)

    def _by_axis(self, parts: tuple[Any, ...]) -> Any:
        """Static parts first, in one slice; then the gathers, from the last axis to the first."""
        value = tf.convert_to_tensor(self.value)
        keep = tuple(slice(None) if _is_dynamic(p) else p for p in parts)
        gathers, axis = [], 0
        for position, part in enumerate(parts):
            if part is Ellipsis:
                taken = sum(p is not None and p is not Ellipsis for p in parts[position + 1 :])
                static = sum(p is not None and p is not Ellipsis for p in parts[:position])
                axis += value.shape.rank - taken - static
            elif _is_dynamic(part):
                gathers.append((axis, part))
                axis += 1
            elif part is None or isinstance(part, slice):
                axis += 1
        if not all(map(_is_dynamic, parts)):
            value = value[keep]
        for axis, part in reversed(gathers):
            value = _gather(value, part, axis)
        return value


def _gather(value: tf.Tensor, index: tf.Tensor, axis: int) -> tf.Tensor:
    """Elements along an axis; negative indices count from the end.

    An index out of range takes the nearest element, as XLA does: lanes without a live member index
    with junk, so that it cannot be an error here.
    """
    if index.dtype == tf.bool:
        return tf.boolean_mask(value, index, axis=axis)
    length = value.shape[axis]
    index = tf.where(index < 0, index + length, index)
    return tf.gather(value, tf.clip_by_value(index, 0, max(length - 1, 0)), axis=axis)
