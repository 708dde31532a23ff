"""What must not go unnoticed inside a graph, where nothing can be raised."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pcbatch.runtime.result import Result
from pcbatch.semantics import pytree


def marked(result: Result) -> Any:
    """The value, with the floats of failed members NaN."""
    leaves, tree = pytree.flatten(result.value)
    message = "some members of a batched call did not return; .run(...) tells which"
    with tf.control_dependencies([tf.debugging.assert_equal(result.status, 0, message)]):
        values = [mark(leaf, result.status) for leaf in leaves]
    return pytree.unflatten(tree, values)


def mark(leaf: Any, status: tf.Tensor) -> Any:
    """A leaf of a value `[B, ...]` with NaN for the members that have not returned."""
    if not isinstance(leaf, tf.Tensor):
        return leaf
    if not leaf.dtype.is_floating:
        return tf.identity(leaf)
    failed = tf.reshape(status > 0, [-1, *([1] * (leaf.shape.rank - 1))])
    return tf.where(failed, tf.constant(float("nan"), leaf.dtype), leaf)


def mark_total(total: tf.Tensor, status: tf.Tensor) -> tf.Tensor:
    """A sum over all members, or NaN where one has not returned."""
    return tf.where(tf.reduce_any(status > 0), tf.constant(float("nan"), total.dtype), total)
