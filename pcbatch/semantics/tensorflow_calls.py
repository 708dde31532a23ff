"""Python numbers beside tensors in calls of TensorFlow's functions.

Outside a graph TensorFlow gives a number the dtype of the tensors beside it, `tf.maximum(0.0, x)`.
In a graph it does so only for numbers that come behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.semantics.types import is_tensor


def with_numbers(
    call: Callable[..., Any], function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """Call a function; where TensorFlow refuses its numbers, with numbers of the tensors' dtype.

    Args:
      call: takes the function and its arguments.
      function, args, kwargs: what is called, and with what.
    """
    try:
        return call(function, *args, **kwargs)
    except (TypeError, ValueError) as refused:
        dtype = _dtype(function, args)
        given = tuple(_number(x, dtype) for x in args)
        if dtype is None or all(new is old for new, old in zip(given, args, strict=True)):
            raise
        try:
            return call(function, *given, **kwargs)
        except (TypeError, ValueError):
            raise refused from None


def _dtype(function: Any, args: tuple[Any, ...]) -> tf.DType | None:
    """The only dtype of the numbers in tensors among the arguments of one of its functions."""
    if not (getattr(function, "__module__", None) or "").startswith("tensorflow"):
        return None
    dtypes = {x.dtype for x in args if is_tensor(x) and x.dtype != tf.bool}
    return dtypes.pop() if len(dtypes) == 1 else None


def _number(value: Any, dtype: tf.DType | None) -> Any:
    fits = type(value) is int or (type(value) is float and dtype and not dtype.is_integer)
    return tf.constant(value, dtype) if dtype is not None and fits else value
