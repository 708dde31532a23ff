"""Results of floating-point operations that do not depend on what is around them.

A processor can round a product and a sum once, not twice, and LLVM lets it wherever it sees both:
within one kernel, but not from one kernel to the next. XLA rewrites what it sees together, too: a
quotient by a constant becomes a product, one by a square root a product with `rsqrt`. The last bit
of a result then depends on how a program is cut into kernels, hence on the size of the batch. The
bits of a *rounded* result went through an exclusive or with a zero that XLA does not know to be
one, so that nothing sees where it comes from; the additions that read it add what was rounded.

`pcbatch.random` has another way (`random/continuous.py`), since it promises its bits outside of the
machine, too, where no such zero is passed.
"""

from __future__ import annotations

import tensorflow as tf

_WORDS = {1: tf.int8, 2: tf.int16, 4: tf.int32, 8: tf.int64}


def unknown_zero(turns: tf.Tensor) -> tf.Tensor:
    """Zero, from a count, a signed integer, of which a compiler does not know that it is one."""
    return tf.bitwise.right_shift(turns, 8 * turns.dtype.size - 1)


def rounded(value: tf.Tensor, zero: tf.Tensor) -> tf.Tensor:
    """A value of which XLA does not see the origin; as it is where it holds no real fractions.

    Args:
      value: any tensor.
      zero: see `unknown_zero`.
    """
    if not value.dtype.is_floating:
        return value
    word = _WORDS[value.dtype.size]
    bits = tf.bitwise.bitwise_xor(tf.bitcast(value, word), tf.cast(zero, word))
    return tf.bitcast(bits, value.dtype)
