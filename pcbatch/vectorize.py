"""Straight-line code for one member, run for all members at once.

This is the one place where vectorization happens. It rests on `tf.vectorized_map`: every operation
of the single-example code is replaced by its batched counterpart while the graph is built; values
that do not depend on the member are left alone, never tiled. An operation without a counterpart
runs in a loop over the members, with a warning that names it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping

import tensorflow as tf

from pcbatch.errors import PcbatchError, Span

_MISSING = re.compile(r"No pfor vectorization defined for (\w+)")


class VectorizationError(PcbatchError):
    """An operation of the user's code has no batched counterpart."""


class VectorizationWarning(UserWarning):
    """An operation of the user's code runs in a loop over the members."""


def vectorize(
    fn: Callable[[Mapping[str, tf.Tensor]], dict[str, tf.Tensor]],
    members: Mapping[str, tf.Tensor],
    batch_size: int,
    span: Span,
) -> dict[str, tf.Tensor]:
    """Run `fn`, written for one member, on a batch.

    Args:
      fn: takes one member's tensors by name and returns tensors by name. Tensors that it captures
        are the same for all members.
      members: the batched tensors, `[B, ...]` each.
      batch_size: B, static.
      span: the user's code, for messages.

    Returns:
      What `fn` returns, each `[B, ...]`.

    Raises:
      VectorizationError: an operation can neither be vectorized nor looped over.
    """
    elements = dict(members) or {"": tf.zeros([batch_size], tf.bool)}
    try:
        return tf.vectorized_map(fn, elements, fallback_to_while_loop=False)
    except ValueError as error:
        missing = _MISSING.search(str(error))
        if missing is None:
            raise
        _warn(missing.group(1), span)
    try:
        return tf.vectorized_map(fn, elements, fallback_to_while_loop=True)
    except (ValueError, TypeError) as error:
        raise VectorizationError(_explain(str(error), span)) from error


def _warn(operation: str, span: Span) -> None:
    warnings.warn(
        f"{operation} near {span} has no batched form in TensorFlow: it runs in a loop over the "
        "members, which is slow. Mark a function that takes the batch axis itself with "
        "pcbatch.batched(fn), or, for random numbers, use pcbatch.random.",
        VectorizationWarning,
        stacklevel=2,
    )


def _explain(text: str, span: Span) -> str:
    first = text.strip().split("\n")[0]
    return (
        f"TensorFlow has no batched form of an operation near {span}: {first}\n"
        "help: mark a function that takes the batch axis itself with pcbatch.batched(fn), or write "
        "the loop in the autobatched function instead of inside a TensorFlow call."
    )
