"""What is left of a list when a slice of it is deleted: `del xs[a:b:c]`."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.semantics.lists.equal_elements import kept
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.operators import is_tensor


def left_over(xs: Any, start: Any, stop: Any, step: Any) -> Any:
    """The elements of a list that are not in a slice, in a new list."""
    if type(xs) is list and not any(map(is_tensor, (start, stop, step))):
        gone = set(range(len(xs))[start:stop:step])
        return [x for k, x in enumerate(xs) if k not in gone]
    if not isinstance(xs, (list, MemberList)):
        raise TypeError(f"'{type(xs).__name__}' object doesn't support slice deletion")
    owner = xs if isinstance(xs, MemberList) else made(dense_of(xs))
    places, count = owner.places(start, stop, step)
    meant = tf.range(tf.size(places)) < tf.cast(count, tf.int32)
    mine = owner.dense()
    same = tf.equal(places[:, tf.newaxis], tf.range(mine.capacity)) & meant[:, tf.newaxis]
    return owner.sharing_rows(kept(mine, mine.used & ~tf.reduce_any(same, axis=0)))
