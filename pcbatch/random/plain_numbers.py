"""What a draw gives in a plain Python run of one example: a number where it is one number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import tensorflow as tf

from pcbatch.backend.private.eager_values import EagerTensor
from pcbatch.semantics.plain_runs import in_plain_run

P = ParamSpec("P")


def number_in_plain_run(draw: Callable[P, tf.Tensor]) -> Callable[P, tf.Tensor]:
    """Have a draw of one number give a number in `.single`, as draws of plain Python do.

    Such a number is a key of a dict and an element of a set, which a tensor is not. Integers and
    truth values are Python's. Real numbers are NumPy's, with the rounding that they have in a
    batch, and so are the words of `bits`, whose arithmetic is modulo 2**32. What is drawn between
    bounds that are tensors stays a tensor, which has a gradient.
    """

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> tf.Tensor:
        value = draw(*args, **kwargs)
        if not in_plain_run() or not isinstance(value, EagerTensor) or value.shape.rank:
            return value
        if value.dtype.is_floating and any(map(_is_real_tensor, (*args, *kwargs.values()))):
            return value
        number = value.numpy()
        return number if value.dtype in _OF_NUMPY else number.item()

    return drawn


_OF_NUMPY = (tf.float32, tf.float64, tf.uint32, tf.uint64)


def _is_real_tensor(x: Any) -> bool:
    return tf.is_tensor(x) and x.dtype.is_floating
