"""Delayed-rejection Metropolis: where a bold proposal is rejected, try a timid one.

Source: Tierney and Mira 1999, "Some adaptive Monte Carlo methods for Bayesian inference"; the
acceptance probability of the second stage is that of Green and Mira 2001, "Delayed rejection in
reversible jump Metropolis-Hastings", section 2, for proposals that are symmetric about the current
position.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Target
from nuts.samplers.transition import Info, Place, evaluate, log_uniform


@dataclasses.dataclass(frozen=True)
class DelayedRejection:
    """Draw from a density by random-walk proposals of two sizes.

    Attributes:
      log_density: of a position `float[D]`.
      bold: the standard deviation of the first proposal, in each coordinate.
      timid: that of the second, which is made where the first was rejected.
    """

    log_density: Target
    bold: float
    timid: float

    def start(self, position: tf.Tensor) -> Place:
        """Evaluate what a chain needs to know where it begins, float[D]."""
        return evaluate(self.log_density, position)

    def propose(self, key: tf.Tensor, position: tf.Tensor, sd: float) -> Place:
        noise = pcbatch.random.normal(key, position.shape, position.dtype)
        return evaluate(self.log_density, position + sd * noise)

    def log_path(self, end: Place, first: Place) -> tf.Tensor:
        """The log density of being at `end`, proposing `first`, and rejecting it."""
        step = (first.position - end.position) / self.bold
        log_accept = tf.minimum(first.log_density - end.log_density, 0.0)
        log_reject = tf.math.log1p(-tf.exp(log_accept))
        return end.log_density - 0.5 * tf.reduce_sum(step * step) + log_reject

    @pcbatch.autobatch
    def step(self, place, key):
        """Make one transition: the current `Place` and a key give the next and an `Info`."""
        dtype = place.position.dtype
        keys = tf.unstack(pcbatch.random.split(key, 4))
        key_first, key_first_accept, key_second, key_second_accept = keys

        first = self.propose(key_first, place.position, self.bold)
        log_ratio = first.log_density - place.log_density
        if log_uniform(key_first_accept, dtype) < log_ratio:
            return first, Info(True, 1)

        second = self.propose(key_second, place.position, self.timid)
        log_ratio = self.log_path(second, first) - self.log_path(place, first)
        if log_uniform(key_second_accept, dtype) < log_ratio:
            return second, Info(True, 2)
        return place, Info(False, 2)
