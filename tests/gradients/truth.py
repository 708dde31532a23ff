"""What a gradient is: an eager tape around plain Python, member by member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf


def of_plain_python(function: Callable[..., Any], args: tuple[np.ndarray, ...]) -> np.ndarray:
    """The gradients of all members with regard to the first argument."""
    return np.stack([_of_one(function, [x[k] for x in args]) for k in range(len(args[0]))])


def _of_one(function: Callable[..., Any], member: list[Any]) -> np.ndarray:
    first, rest = tf.constant(member[0]), [x.item() for x in member[1:]]
    with tf.GradientTape() as tape:
        tape.watch(first)
        value = tf.convert_to_tensor(function(first, *rest))
    return tape.gradient(value, first, unconnected_gradients="zero").numpy()


def value_and_slopes(
    function: Callable[..., Any], by: tuple[int, ...], member: list[Any]
) -> tuple[float, ...] | None:
    """A member's value, and its slopes by some arguments; None where Python raises."""
    args = [tf.constant(x, tf.float64) if i in by else x for i, x in enumerate(member)]
    with tf.GradientTape() as tape:
        tape.watch([args[i] for i in by])
        try:
            value = tf.convert_to_tensor(function(*args))
        except (ArithmeticError, LookupError, ValueError):
            return None
    slopes = tape.gradient(value, [args[i] for i in by], unconnected_gradients="zero")
    return float(value), *map(float, slopes)
