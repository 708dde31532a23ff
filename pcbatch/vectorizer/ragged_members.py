"""Members of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import ArgumentError
from pcbatch.vectorizer.public import vectorize


def ragged(
    fn: Callable[[tf.Tensor, tf.Tensor], Any], *, strict: bool = False
) -> Callable[[Any], tuple[Any, tf.Tensor]]:
    """Make a function of one sequence work on sequences of different lengths.

    The sequences are padded with zeros to the longest length, rounded up to a power of two, so that
    few shapes are ever traced. `fn` must read no more than `length` elements, or mask the rest;
    a `tf.while_loop` up to `length` does that by itself.

    Args:
      fn: takes one padded sequence `[L, ...]` and its length, an int32 scalar, and returns a
        structure of tensors whose shapes do not depend on the length.
      strict: see `pcbatch.vectorize`.

    Returns:
      A function of a list of arrays `[length, ...]` or of a `tf.RaggedTensor` with one ragged axis;
      it gives the result of `fn`, the batch on axis 0, and the lengths, int32[B].

    Raises:
      ArgumentError: (when called) there is no sequence, or they differ in more than the length.
    """
    batched = vectorize(fn, strict=strict)

    def run(sequences: Any) -> tuple[Any, tf.Tensor]:
        padded, lengths = _pad(sequences)
        return batched(padded, lengths), lengths

    return run


def _pad(sequences: Sequence[Any] | tf.RaggedTensor) -> tuple[tf.Tensor, tf.Tensor]:
    arrays = [np.asarray(s) for s in sequences]
    if not arrays:
        raise ArgumentError("ragged: there is no sequence")
    kinds = {(a.dtype, a.shape[1:]) for a in arrays if a.ndim}
    if len(kinds) != 1 or not all(a.ndim for a in arrays):
        listed = ", ".join(f"{a.dtype}{list(a.shape)}" for a in arrays[:8])
        raise ArgumentError(f"ragged: the sequences differ in more than their length: {listed}")
    longest = max(len(a) for a in arrays)
    bucket = 1 << max(longest - 1, 0).bit_length()
    padded = np.zeros([len(arrays), bucket, *arrays[0].shape[1:]], arrays[0].dtype)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return tf.constant(padded), tf.constant([len(a) for a in arrays], tf.int32)
