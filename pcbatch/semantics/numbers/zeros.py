"""`x + 0.0` and `0.0 - x` where `x` may be -0.0 or 0.0.

XLA and TensorFlow's rewriting of graphs take an addition of a constant zero for its other operand,
which is another number where that is -0.0: `-0.0 + 0.0` is 0.0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf


def kept_zeros(symbol: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Operands of which no constant zero is left out that decides the sign of a zero.

    Args:
      symbol: "+" or "-".
      a, b: the operands, of one dtype.
    """
    if symbol == "+" and _is_zero(b, negative=False):
        return a, _zero(a, b)
    if symbol == "-" and _is_zero(b, negative=True):
        return a, tf.negative(_zero(a, b))
    if _is_zero(a, negative=False):
        return _zero(b, a), b
    return a, b


def _is_zero(value: Any, negative: bool) -> bool:
    """Whether a value is known to be zero, of one sign, everywhere."""
    if isinstance(value, tf.Variable):
        return False
    known = tf.get_static_value(value) if isinstance(value, tf.Tensor) else value
    if known is None or np.asarray(known).dtype.kind != "f":
        return False
    return bool(np.all((known == 0) & (np.signbit(known) == negative)))


def _zero(value: Any, constant: Any) -> tf.Tensor:
    """0.0 in the shape of a constant beside a value, but not as a constant."""
    zero = tf.stop_gradient(tf.minimum(tf.abs(value), tf.zeros([], value.dtype)))
    shape = np.shape(constant) if not isinstance(constant, tf.Tensor) else constant.shape
    return zero if len(shape) == 0 else zero + tf.zeros(shape, value.dtype)
