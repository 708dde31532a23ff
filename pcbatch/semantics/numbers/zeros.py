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
        a = _constant(a, b)
        return a, _zero(a) + _constant(b, a)
    if symbol == "-" and _is_zero(b, negative=True):
        a = _constant(a, b)
        return a, tf.negative(_zero(a) - _constant(b, a))
    if _is_zero(a, negative=False):
        b = _constant(b, a)
        return _zero(b) + _constant(a, b), b
    return a, b


def _is_zero(value: Any, negative: bool) -> bool:
    """Whether a value is known to be zero, of one sign, everywhere."""
    is_tensor = isinstance(value, tf.Tensor)
    if isinstance(value, tf.Variable) or (is_tensor and not tf.is_symbolic_tensor(value)):
        return False  # To compilers it is no constant.
    known = tf.get_static_value(value) if is_tensor else value
    if known is None or np.asarray(known).dtype.kind != "f":
        return False
    return bool(np.all((known == 0) & (np.signbit(known) == negative)))


def _zero(value: Any) -> tf.Tensor:
    """0.0 beside a value, but not as a constant."""
    return tf.stop_gradient(tf.minimum(tf.abs(value), tf.zeros([], value.dtype)))


def _constant(operand: Any, other: Any) -> Any:
    """An operand itself, of which a derivative may be asked for; a number or a list as a tensor."""
    is_tensor = isinstance(operand, tf.Tensor | tf.Variable)
    return operand if is_tensor else tf.constant(operand, other.dtype)
