"""WALNUTS: the No-U-Turn Sampler with a step size that is chosen anew within each trajectory.

Source: Bou-Rabee, Carpenter, Kleppe and Liu 2025, "The within-orbit adaptive leapfrog no-U-turn
sampler", arXiv:2506.18746. The states of a trajectory are a fixed time apart, one macro step. Each
macro step is integrated by 2 ** k leapfrog steps, where k is chosen at random: it is the least with
which the energy varies little within the macro step, or one more. From the end of the macro step
backwards k may have another probability than from its start. The ratio of the two counts in the
weights of all states behind it, which makes the sampler exact. Trees are doubled, and states drawn
from them, as in `nuts.sampler.tree`.

Departure: where k has no chance at all backwards, or no k is small enough, the trajectory ends, as
it does where it turns. It would end for all states of it alike.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler import termination, trajectory
from nuts.sampler.trajectory import Metric, Point, State, Target
from nuts.sampler.tree import Flow, Tree, join, leaf, log_add_exp
from nuts.sampler.tuning import Settings
from nuts.samplers.transition import Info, log_uniform

REFINED = 1.0 / 3.0
"""The probability that a macro step has one halving more than it needs."""


class End(NamedTuple):
    """An end of a trajectory.

    Attributes:
      state: the last `State` there.
      log_ratio: float[], the log of the product, over the macro steps from the start of the
        trajectory, of the probabilities of their halvings backwards over those forwards.
    """

    state: State
    log_ratio: tf.Tensor


@dataclasses.dataclass(frozen=True)
class Walnuts:
    """Draw from a density with a gradient, whose scale differs much from place to place.

    Attributes:
      log_density: of a position `float[D]`.
      step_size: the length of a macro step.
      max_error: how much the energy may vary within a macro step.
      max_halvings: the most halvings of the step size that are tried.
      max_tree_depth: a trajectory has at most 2 ** max_tree_depth states.
      inverse_mass: an estimate of the posterior variances: one number, or one per coordinate.
    """

    log_density: Target
    step_size: float
    max_error: float = 0.5
    max_halvings: int = 10
    max_tree_depth: int = 10
    inverse_mass: float | tuple[float, ...] = 1.0

    def start(self, position: tf.Tensor) -> Point:
        """Evaluate what a chain needs to know where it begins, float[D]."""
        return trajectory.evaluate(self.log_density, position)

    def metric(self, position: tf.Tensor) -> Metric:
        return trajectory.scaled_metric(self.inverse_mass, position)

    @pcbatch.autobatch
    def leap(self, metric, step, start, halvings):
        """Integrate one macro step by 2 ** halvings leapfrog steps, while the energy varies little.

        Returns:
          The `State` reached, whether the energy varied by no more than `max_error`, and the
          number of leapfrog steps made.
        """
        number = 2**halvings
        small_step = step / tf.cast(number, step.dtype)
        state, made = start, 0
        low = high = trajectory.energy(metric, start)
        while made < number and high - low <= self.max_error:
            state = trajectory.leapfrog(self.log_density, metric, small_step, state)
            energy = trajectory.energy(metric, state)
            low, high = tf.minimum(low, energy), tf.maximum(high, energy)
            made += 1
        return state, high - low <= self.max_error, made

    @pcbatch.autobatch
    def search(self, metric, step, start, limit):
        """Find the least number of halvings, below `limit`, with which the energy varies little.

        Returns:
          The number, `limit` where there is none; the `State` reached; and the number of leapfrog
          steps made for all that were tried.
        """
        state, total = start, 0
        for halvings in range(limit):
            state, calm, made = self.leap(metric, step, start, halvings)
            total += made
            if calm:
                return halvings, state, total
        return limit, state, total

    @pcbatch.autobatch
    def macro_step(self, metric, step, start, key):
        """Make a macro step.

        Returns:
          The `End` reached, its ratio that of this macro step alone; whether the trajectory may go
          on; and the number of leapfrog steps made.
        """
        limit = self.max_halvings + 1
        least, state, total = self.search(metric, step, start, limit)
        halvings, calm = least, least < limit
        if calm and pcbatch.random.bernoulli(key, REFINED):
            halvings = least + 1
            state, calm, made = self.leap(metric, step, start, halvings)
            total += made
        log_ratio = tf.zeros_like(step)
        if calm:
            # The same leapfrog steps lead back, so that this number suffices there, too.
            back, _, made = self.search(metric, -step, state, halvings)
            total += made
            forwards = log_probability(halvings - least, step)
            log_ratio = log_probability(halvings - back, step) - forwards
            calm = (halvings - back <= 1) & (back < limit)
        return End(state, log_ratio), calm, total

    @pcbatch.autobatch
    def build_tree(self, flow, start, depth, key, node):
        """Build the tree of the 2 ** depth states that follow `start`; see `nuts.sampler.tree`.

        Returns:
          The `Tree`, the `End` of it, and the number of leapfrog steps made.
        """
        node_key = pcbatch.random.fold_in(key, node)
        if depth == 0:
            end, calm, made = self.macro_step(flow.metric, flow.step, start.state, node_key)
            end = End(end.state, start.log_ratio + end.log_ratio)
            return self.leaf(flow, end, calm), end, made
        first, end, made = self.build_tree(flow, start, depth - 1, key, 2 * node)
        if first.turning | first.diverging:
            return first, end, made
        second, end, more = self.build_tree(flow, end, depth - 1, key, 2 * node + 1)
        return join(flow.metric, first, second, node_key), end, made + more

    def leaf(self, flow: Flow, end: End, calm: tf.Tensor) -> Tree:
        """The tree of one state; it diverges where the trajectory cannot go on."""
        tree = leaf(Settings(self.log_density), flow, end.state)
        return tree._replace(
            log_weight=tree.log_weight + end.log_ratio, diverging=tf.logical_not(calm)
        )

    @pcbatch.autobatch
    def step(self, point, key):
        """Make one transition: the current `Point` and a key give the next and an `Info`."""
        dtype = point.position.dtype
        key_momentum, key_doubling = tf.unstack(pcbatch.random.split(key))
        metric = self.metric(point.position)
        state = State(point, trajectory.draw_momentum(key_momentum, metric))
        initial_energy = trajectory.energy(metric, state)
        step = tf.constant(self.step_size, dtype)
        log_weight = tf.zeros_like(initial_energy)
        first = last = End(state, log_weight)
        momentum_sum = state.momentum
        depth = total = 0
        accepted = ended = False

        while depth < self.max_tree_depth and not ended:
            key_depth = pcbatch.random.fold_in(key_doubling, depth)
            key_end, key_tree, key_draw = tf.unstack(pcbatch.random.split(key_depth, 3))
            if pcbatch.random.bernoulli(key_end):
                first, last, step = last, first, -step
            flow = Flow(step, metric, initial_energy)
            tree, end, made = self.build_tree(flow, last, depth, key_tree, 1)
            total += made
            ended = tree.turning | tree.diverging
            if not ended:
                if log_uniform(key_draw, dtype) < tree.log_weight - log_weight:
                    point, accepted = tree.proposal, True
                ended = termination.is_turning_across(
                    metric,
                    (first.state.momentum, last.state.momentum, momentum_sum),
                    (tree.first_momentum, tree.last.momentum, tree.momentum_sum),
                )
                last = end
                momentum_sum += tree.momentum_sum
                log_weight = log_add_exp(log_weight, tree.log_weight)
                depth += 1
        return point, Info(accepted, total)


def log_probability(more: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    """The log of the probability of so many halvings more than are needed, 0 or 1."""
    log_plain = tf.math.log1p(tf.constant(-REFINED, like.dtype))
    return tf.where(tf.equal(more, 0), log_plain, tf.math.log(tf.constant(REFINED, like.dtype)))
