"""How elements are read: of buffers, one at a place, or all of a list of static length."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics import sharing
from pcbatch.semantics.buffers import Room
from pcbatch.semantics.element_leaves import unflattened
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.operators import is_tensor, mark_weak


def fetched(buffer: Any, place: Any) -> tf.Tensor:
    """What a buffer has at a place."""
    if isinstance(buffer, Room) and buffer.version is None:
        return sharing.view(buffer.element(place), buffer.area)
    if buffer.array.shape[0] == 0:  # a member that reads from it has stopped
        return tf.zeros(buffer.array.shape[1:], buffer.array.dtype)
    return sharing.view(tf.gather(buffer.array, place), buffer.array)


def as_place(row: Any) -> Any:
    """A row's place, which a loop's counter of another width may have become."""
    return tf.cast(row, tf.int32) if is_tensor(row) else row


def one_by_one(mine: Dense) -> list[Any]:
    """The elements of a list of static length, one by one."""
    rows = [
        [mark_weak(x) if weak else x for x in tf.unstack(column[: mine.length])]
        for column, weak in zip(mine.columns, mine.weak, strict=True)
    ]
    return [unflattened(mine.tree, leaves) for leaves in zip(*rows, strict=True)]
