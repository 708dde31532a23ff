"""Slice sampling of one count: an integer 0, 1, 2, ... without a largest value.

Source: Neal 2003, "Slice sampling", section 4.1 (stepping out) and figure 5 (shrinkage). Departs
from it in the cells that stepping out goes through. Neal's are of one width, which must fit the
scale of the distribution. Here each cell is about as wide as all before it, so that a scale is
found in a number of steps that grows with its logarithm. The argument for stepping out does not
need equal widths: the cells do not depend on the current count, and whether two cells are joined
depends on the count at their border only. So each count of the interval leads to the same interval.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Point
from nuts.sampler.tree import log_uniform
from nuts.sampler.tuning import Settings

UNBOUNDED = 2**31 - 1
"""The number of values that stands for "without a largest": int32 has no more."""


class CountSlice(NamedTuple):
    """The values of one count at which the log density is at least the level.

    Attributes:
      point: the `Point` that stays.
      discrete: int32[K], the discrete values; those of other variables stay.
      index: int32[], which of them is the count.
      level: float[].
    """

    point: Point
    discrete: tf.Tensor
    index: tf.Tensor
    level: tf.Tensor


def log_density_of(settings: Settings, line: CountSlice, value: tf.Tensor) -> tf.Tensor:
    """The log density with another value of the count: float[]."""
    return log_density_at(settings, line.point, replaced(line.discrete, line.index, value))


def border(number: tf.Tensor, share: tf.Tensor) -> tf.Tensor:
    """The count at which a cell ends and the next one begins: int32[].

    The first cell has between 4 and 7 values; a border is about twice the one before it.

    Args:
      number: int32[], from 0, at most 28; beyond it is `UNBOUNDED`, and below 0 it is 0.
      share: float64[], uniform on (0, 1): where the borders are.
    """
    power = tf.cast(number, tf.float64) + 2.0 + share
    place = tf.cast(tf.floor(2.0 ** tf.clip_by_value(power, 0.0, 30.999)), tf.int32)
    return tf.where(number < 0, 0, tf.where(number > 28, UNBOUNDED, place))


@pcbatch.autobatch
def draw_count(settings, point, discrete, log_density, index, key):
    """Draw one count by slice sampling, given the position and all other values.

    Args:
      settings: `nuts.sampler.tuning.Settings`, static.
      point: the `Point`.
      discrete: int32[K], the values; `discrete[index]` is the count.
      log_density: float[], at these.
      index: int32[].
      key: uint32[2].

    Returns:
      The values with a new count, and the log density there.
    """
    key_level, key_cells, key_shrinking = tf.unstack(pcbatch.random.split(key, 3))
    current = discrete[index]
    level = log_density + log_uniform(key_level, log_density)
    line = CountSlice(point, discrete, index, level)

    # The cell of the current count is low, ..., high - 1.
    share = pcbatch.random.uniform(key_cells, (), tf.float64)
    above = 0
    while border(above, share) <= current:
        above += 1
    below = above - 1

    # Join the cells beside it as long as the count at the border is in the slice.
    while above <= 28 and log_density_of(settings, line, border(above, share)) >= level:
        above += 1
    while below >= 0 and log_density_of(settings, line, border(below, share)) >= level:
        below -= 1

    # Draw from the interval, which shrinks towards the current count at each failure.
    low, high = border(below, share), border(above, share)
    drawn, found, tries = current, False, 0
    while not found:
        value = pcbatch.random.randint(pcbatch.random.fold_in(key_shrinking, tries), (), low, high)
        tries += 1
        proposal = log_density_of(settings, line, value)
        if value == current or proposal >= level:
            drawn, found = value, True
            log_density = tf.where(value == current, log_density, proposal)
        elif value < current:
            low = value + 1
        else:
            high = value
    return replaced(discrete, index, drawn), log_density


def log_density_at(settings: Settings, point: Point, discrete: tf.Tensor) -> tf.Tensor:
    """The log density at the point with other discrete values; where it is none nothing can be."""
    return no_nan(settings.target(point.position, discrete))


def no_nan(log_density: tf.Tensor) -> tf.Tensor:
    """The log density, and -infinity where it is not a number."""
    nothing = tf.constant(-float("inf"), log_density.dtype)
    return tf.where(tf.math.is_nan(log_density), nothing, log_density)


def replaced(discrete: tf.Tensor, index: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
    """The same values but for one of them: int32[K]."""
    return tf.where(tf.range(discrete.shape[0]) == index, value, discrete)
