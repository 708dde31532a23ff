"""Slice sampling with doubling, along lines in random directions.

Source: Neal 2003, "Slice sampling", figures 4 (doubling), 5 (shrinkage) and 6 (acceptance); the
choice of a random line through the current position is that of section 5.1's "single variable"
updates applied to the variable t of position + t * direction.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Target
from nuts.samplers.transition import Info, Place, evaluate, log_uniform


class Slice(NamedTuple):
    """The points of a line where the log density is at least the level.

    Attributes:
      origin: float[D], the current position, at which the line's coordinate t is zero.
      direction: float[D].
      level: float[].
    """

    origin: tf.Tensor
    direction: tf.Tensor
    level: tf.Tensor


@dataclasses.dataclass(frozen=True)
class DoublingSlice:
    """Draw from a density, knowing no more of its scale than an order of magnitude.

    Attributes:
      log_density: of a position `float[D]`.
      width: a guess at the width of the slice, in units of a direction that is drawn from N(0, I).
        A guess that is 2 ** k too small costs k doublings.
      max_doublings: the most doublings of the interval.
      max_tries: a chain fails that finds nothing to accept among so many proposals.
    """

    log_density: Target
    width: float = 1.0
    max_doublings: int = 10
    max_tries: int = 1000

    def start(self, position: tf.Tensor) -> Place:
        """Evaluate what a chain needs to know where it begins, float[D]."""
        return evaluate(self.log_density, position)

    def at(self, line: Slice, t: tf.Tensor) -> Place:
        """The place at coordinate t of the line."""
        return evaluate(self.log_density, line.origin + t * line.direction)

    def holds(self, line: Slice, t: tf.Tensor) -> tf.Tensor:
        """Whether the point at coordinate t is in the slice."""
        return self.at(line, t).log_density >= line.level

    @pcbatch.autobatch
    def step(self, place, key):
        """Make one transition: the current `Place` and a key give the next and an `Info`."""
        dtype = place.position.dtype
        keys = tf.unstack(pcbatch.random.split(key, 5))
        key_direction, key_level, key_interval, key_doubling, key_shrinking = keys
        direction = pcbatch.random.normal(key_direction, place.position.shape, dtype)
        level = place.log_density + log_uniform(key_level, dtype)
        line = Slice(place.position, direction, level)

        # Double the interval, at an end chosen by a coin, until both ends are outside the slice.
        low = -self.width * pcbatch.random.uniform(key_interval, (), dtype)
        high = low + self.width
        low_inside, high_inside = self.holds(line, low), self.holds(line, high)
        evaluations = 2
        for doubling in range(self.max_doublings):
            if not (low_inside | high_inside):
                break
            if pcbatch.random.bernoulli(pcbatch.random.fold_in(key_doubling, doubling)):
                low = low - (high - low)
                low_inside = self.holds(line, low)
            else:
                high = high + (high - low)
                high_inside = self.holds(line, high)
            evaluations += 1

        # Draw from the interval, which shrinks towards the current position at each failure.
        left, right = low, high
        for tries in range(self.max_tries):
            key_try = pcbatch.random.fold_in(key_shrinking, tries)
            t = pcbatch.random.uniform(key_try, (), dtype, left, right)
            proposal = self.at(line, t)
            evaluations += 1
            if proposal.log_density >= line.level:
                leads_back, more = self.leads_back(line, low, high, t, False)
                evaluations += more
                if leads_back:
                    return proposal, Info(True, evaluations)
            if t < 0:
                left = t
            else:
                right = t
        raise ValueError(
            "no proposal was accepted: does the log density give the same value twice?"
        )

    @pcbatch.autobatch
    def leads_back(self, line, low, high, t, apart):
        """Whether doubling that begins at t, and not at 0, could have given this interval.

        Doubling is undone step by step: each step keeps the half in which t lies. It must not have
        stopped before, that is with both ends of an interval outside the slice. Intervals that hold
        t and 0 need no look: they were not final for 0, and so not for t.

        Args:
          line: the `Slice`.
          low, high: float[], the interval.
          t: float[], a point in it and in the slice.
          apart: bool[], whether t and 0 have been in different halves.

        Returns:
          bool[], and how often the density was evaluated.
        """
        # Twice the width is the smallest that was doubled; 1.1 allows for rounding.
        if high - low < 1.1 * self.width:
            return True, 0
        middle = 0.5 * (low + high)
        apart = apart | ((middle > 0) != (middle > t))
        if middle > t:
            high = middle
        else:
            low = middle
        evaluations = 0
        if apart:
            evaluations = 2
            if not (self.holds(line, low) | self.holds(line, high)):
                return False, evaluations
        leads_back, more = self.leads_back(line, low, high, t, apart)
        return leads_back, evaluations + more
