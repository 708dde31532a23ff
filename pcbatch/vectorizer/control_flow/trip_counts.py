"""How far a loop has come whose condition depends on the member."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from pcbatch.vectorizer.values import Plain


class Progress(NamedTuple):
    """The members that still run, and how long each has run.

    Attributes:
      active: bool[B], the members that still run.
      number: int32[], how many trips those have made.
      trips: int32[B], how many each member has made.
    """

    active: tf.Tensor
    number: tf.Tensor
    trips: tf.Tensor


def moved(start: Plain, step: int, trips: Plain) -> Plain:
    """What is moved by `step` in each trip, a scalar, after so many trips."""
    if not step:
        return start
    distance = tf.cast(trips.tensor, start.tensor.dtype)
    if abs(step) != 1:
        distance *= abs(step)
    if step < 0:
        distance = start.local() - distance
    elif start.static is None or start.static != 0:
        distance = start.local() + distance
    return Plain(distance, start.stacked or trips.stacked)
