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
