"""Straight-line code for one member, run for all members at once.

This is the one place where vectorization happens. It rests on `tf.vectorized_map`: every operation
of the single-example code is replaced by its batched counterpart while the graph is built; values
that do not depend on the member are left alone, never tiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tensorflow as tf

from pcbatch.errors import PcbatchError


class VectorizationError(PcbatchError):
    """An operation of the user's code has no batched counterpart."""


def vectorize(
    fn: Callable[[Mapping[str, tf.Tensor]], dict[str, tf.Tensor]],
    members: Mapping[str, tf.Tensor],
    batch_size: int,
) -> dict[str, tf.Tensor]:
    """Run `fn`, written for one member, on a batch.

    Args:
      fn: takes one member's tensors by name and returns tensors by name. Tensors that it captures
        are the same for all members.
      members: the batched tensors, `[B, ...]` each.
      batch_size: B, static.

    Returns:
      What `fn` returns, each `[B, ...]`.

    Raises:
      VectorizationError: an operation cannot be vectorized.
    """
    elements = dict(members) or {"": tf.zeros([batch_size], tf.bool)}
    try:
        return tf.vectorized_map(fn, elements, fallback_to_while_loop=False)
    except ValueError as error:
        if "pfor" not in str(error) and "converter" not in str(error):
            raise
        raise VectorizationError(_explain(str(error))) from error


def _explain(text: str) -> str:
    first = text.strip().split("\n")[0]
    return (
        f"TensorFlow has no batched form of an operation in this code: {first}\n"
        "help: mark a function that takes the batch axis itself with pcbatch.batched(fn), or write "
        "the loop in the autobatched function instead of inside a TensorFlow call."
    )
