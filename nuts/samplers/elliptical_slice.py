"""Elliptical slice sampling: for a Gaussian prior times any likelihood.

Source: Murray, Adams and MacKay 2010, "Elliptical slice sampling", figure 2.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import Target
from nuts.samplers.transition import Info, Place, evaluate, log_uniform


@dataclasses.dataclass(frozen=True)
class EllipticalSlice:
    """Draw from the density proportional to N(x; 0, Sigma) exp(log_likelihood(x)).

    Every proposal lies on the ellipse through the current position and a draw from the prior, on an
    arc that shrinks towards the current position until a proposal is accepted. There is nothing to
    tune.

    Attributes:
      log_likelihood: of a position `float[D]`. It is what a place has as its log density here.
      draw_prior: takes a key, returns a draw from N(0, Sigma), `float[D]`. Where the prior has
        another mean, let the position be the difference from it.
      max_tries: a chain fails that finds nothing to accept among so many proposals.
    """

    log_likelihood: Target
    draw_prior: Callable[[tf.Tensor], tf.Tensor]
    max_tries: int = 1000

    def start(self, position: tf.Tensor) -> Place:
        """Evaluate what a chain needs to know where it begins, float[D]."""
        return evaluate(self.log_likelihood, position)

    @pcbatch.autobatch
    def step(self, place, key):
        """Make one transition: the current `Place` and a key give the next and an `Info`."""
        dtype = place.position.dtype
        key_prior, key_level, key_angle = tf.unstack(pcbatch.random.split(key, 3))
        other = self.draw_prior(key_prior)
        level = place.log_density + log_uniform(key_level, dtype)
        angle = pcbatch.random.uniform(key_angle, (), dtype, 0.0, 2 * math.pi)
        low, high = angle - 2 * math.pi, angle

        for tries in range(1, self.max_tries + 1):
            position = place.position * tf.cos(angle) + other * tf.sin(angle)
            proposal = evaluate(self.log_likelihood, position)
            if proposal.log_density >= level:
                return proposal, Info(True, tries)
            if angle < 0:
                low = angle
            else:
                high = angle
            key_try = pcbatch.random.fold_in(key_angle, tries)
            angle = pcbatch.random.uniform(key_try, (), dtype, low, high)
        raise ValueError(
            "no proposal was accepted: does the log likelihood give the same value twice?"
        )
