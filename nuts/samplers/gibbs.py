"""Gibbs sampling of discrete values and a continuous position in turn.

Source: Geman and Geman 1984, "Stochastic relaxation, Gibbs distributions, and the Bayesian
restoration of images", for the draw of one value from its conditional; a step of NUTS, which leaves
the conditional of the position alone, takes the place of an exact draw of it, and so does slice
sampling for a count without a largest value (`nuts.samplers.count_slice`).
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import MixedPoint, Point
from nuts.sampler.tree import draw, log_add_exp, log_uniform
from nuts.sampler.tuning import Settings
from nuts.samplers.count_slice import draw_count, log_density_at, no_nan, replaced


class Together(NamedTuple):
    """Discrete values that are drawn at once, as given the position they do not depend on others.

    Attributes:
      name: what the target's terms of them are called.
      first: the index of the first of them.
      supports: how many values each of them can have.
    """

    name: str
    first: int
    supports: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Gibbs:
    """Draw the position by NUTS, the discrete values staying, then each of these values in turn.

    Attributes:
      supports: how many values each discrete value can have: 0, ..., n - 1.
      one_by_one: the indices of those that are drawn one after the other.
      together: those that are drawn at once.
      counts: the indices of those without a largest value, drawn by slice sampling.
    """

    supports: tuple[int, ...]
    one_by_one: tuple[int, ...]
    together: tuple[Together, ...] = ()
    counts: tuple[int, ...] = ()

    @pcbatch.autobatch
    def step(self, settings, point, key, tuning):
        """Make one transition.

        Args:
          settings: `nuts.sampler.tuning.Settings`, static. Their target takes a position and the
            discrete values, int32[K]; its `terms` takes a name beside them, see `Together`.
          point: the current `MixedPoint`.
          key: uint32[2], the random key of this transition.
          tuning: the `Tuning` of NUTS.

        Returns:
          The next `MixedPoint`, and the `Info` of NUTS.
        """
        key_position, key_discrete = pcbatch.random.split(key)
        discrete = point.discrete
        start = Point(point.position, point.log_density, point.gradient)
        end, info = draw(settings, start, key_position, tuning, (discrete,))
        if self.one_by_one:
            discrete = self.draw_one_by_one(settings, end, discrete, key_discrete)
        for number, values in enumerate(self.together, 1):
            key_values = pcbatch.random.fold_in(key_discrete, -number)
            discrete = self.draw_together(settings, values, end.position, discrete, key_values)
        if self.counts:
            discrete = self.draw_counts(settings, end, discrete, key_discrete)
        end = settings.evaluate(settings.target, end.position, discrete)
        return MixedPoint(end.position, end.log_density, end.gradient, discrete), info

    @pcbatch.autobatch
    def draw_one_by_one(self, settings, point, discrete, key):
        """Draw values from their conditionals, each given the position and all other values.

        What a value could be is tried in turn; each takes the place of the one drawn so far with
        its share of the weight up to here.
        """
        log_density = point.log_density
        for number in range(len(self.one_by_one)):
            index = tf.constant(self.one_by_one)[number]
            support = tf.constant(self.supports)[index]
            key_index = pcbatch.random.fold_in(key, index)
            drawn = first = discrete[index]
            log_weight = log_density
            for i in range(1, support):
                value = (first + i) % support
                proposal = log_density_at(settings, point, replaced(discrete, index, value))
                log_weight = log_add_exp(log_weight, proposal)
                key_value = pcbatch.random.fold_in(key_index, i)
                if log_uniform(key_value, log_weight) < proposal - log_weight:
                    drawn, log_density = value, proposal
            discrete = replaced(discrete, index, drawn)
        return discrete

    @pcbatch.autobatch
    def draw_counts(self, settings, point, discrete, key):
        """Draw counts without a largest value, one after the other, by slice sampling."""
        log_density = log_density_at(settings, point, discrete)
        for number in range(len(self.counts)):
            index = tf.constant(self.counts)[number]
            key_index = pcbatch.random.fold_in(key, index)
            discrete, log_density = draw_count(
                settings, point, discrete, log_density, index, key_index
            )
        return discrete

    @pcbatch.autobatch
    def draw_together(self, settings, values, position, discrete, key):
        """As `draw_one_by_one`, for `Together` values: the next of each is tried at once."""
        supports = tf.constant(values.supports)
        drawn = first = discrete[values.first : values.first + len(values.supports)]
        log_weight = terms_at(settings, values, position, discrete)
        for i in range(1, max(values.supports)):
            tried = (first + i) % supports
            proposal = terms_at(settings, values, position, with_all(discrete, values, tried))
            proposal = tf.where(i < supports, proposal, -float("inf"))
            log_weight = log_add_exp(log_weight, proposal)
            key_value = pcbatch.random.fold_in(key, i)
            share = pcbatch.random.uniform(key_value, supports.shape, log_weight.dtype)
            drawn = tf.where(tf.math.log(share) < proposal - log_weight, tried, drawn)
        return with_all(discrete, values, drawn)


def terms_at(
    settings: Settings, values: Together, position: tf.Tensor, discrete: tf.Tensor
) -> tf.Tensor:
    """The terms of the log density in which each of the values is: float[n]."""
    return no_nan(settings.target.terms(position, discrete, values.name))


def with_all(discrete: tf.Tensor, values: Together, these: tf.Tensor) -> tf.Tensor:
    """The same values but for those that are drawn together: int32[K]."""
    last = values.first + len(values.supports)
    return tf.concat([discrete[: values.first], these, discrete[last:]], 0)
