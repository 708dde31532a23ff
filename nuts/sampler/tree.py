"""The No-U-Turn Sampler: one draw, by recursive doubling of a trajectory.

Source: Hoffman and Gelman 2014, algorithm 3, with the changes of Betancourt 2017, appendix A: draws
are made by weight (multinomially within a subtree, biased towards the new subtree at the top), not
by slice, and the U-turn criterion is the generalized one. This is Stan's sampler since 2.21.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

import pcbatch
from nuts.sampler import termination
from nuts.sampler.trajectory import (
    Metric,
    Point,
    State,
    draw_momentum,
    energy,
    land,
    push,
)
from nuts.sampler.tuning import Settings


class Flow(NamedTuple):
    """The Hamiltonian flow that one subtree follows.

    Attributes:
      step: float[], the step size, negative where the flow goes back in time.
      metric: the kinetic energy.
      initial_energy: float[], the energy at the start of the whole trajectory.
      given: what the target takes beside the position: the same all along the trajectory.
    """

    step: tf.Tensor
    metric: Metric
    initial_energy: tf.Tensor
    given: tuple[Any, ...] = ()


class Tree(NamedTuple):
    """A piece of trajectory, read in the direction in which it was built.

    Attributes:
      first_momentum: float[D], the momentum of its first state.
      last: its last state, from which the next piece goes on.
      momentum_sum: float[D], the sum of the momenta of its states.
      proposal: a state of it, drawn with probability proportional to its weight.
      proposal_energy: float[], the energy of that state.
      log_weight: float[], the log of the sum of exp(initial energy - energy) over its states.
      sum_accept_prob: float[], the sum of min(1, exp(initial energy - energy)) over its states.
      num_states: int32[], how many states were visited to build it.
      turning: bool[], whether it or one of its subtrees makes a U-turn.
      diverging: bool[], whether the energy of its last state is too high.
    """

    first_momentum: tf.Tensor
    last: State
    momentum_sum: tf.Tensor
    proposal: Point
    proposal_energy: tf.Tensor
    log_weight: tf.Tensor
    sum_accept_prob: tf.Tensor
    num_states: tf.Tensor
    turning: tf.Tensor
    diverging: tf.Tensor


class Info(NamedTuple):
    """How a draw was made.

    Attributes:
      energy: float[], the energy of the state drawn.
      accept_prob: float[], the mean of min(1, exp(initial energy - energy)) over the trajectory.
      tree_depth: int32[], the number of doublings that were kept.
      num_leapfrogs: int32[], the number of leapfrog steps, which is the number of gradients.
      diverging: bool[], whether the trajectory diverged.
    """

    energy: tf.Tensor
    accept_prob: tf.Tensor
    tree_depth: tf.Tensor
    num_leapfrogs: tf.Tensor
    diverging: tf.Tensor


def leaf(settings: Settings, flow: Flow, state: State) -> Tree:
    """Build the tree of one state."""
    end_energy = energy(flow.metric, state)
    gain = flow.initial_energy - end_energy
    # Where the density is not a number nothing can be: such a state has no weight and diverges.
    log_weight = tf.where(tf.math.is_nan(gain), tf.constant(float("-inf"), gain.dtype), gain)
    return Tree(
        first_momentum=state.momentum,
        last=state,
        momentum_sum=state.momentum,
        proposal=state.point,
        proposal_energy=end_energy,
        log_weight=log_weight,
        sum_accept_prob=tf.exp(tf.minimum(log_weight, 0.0)),
        num_states=tf.constant(1),
        turning=tf.constant(False),
        diverging=-log_weight > settings.max_delta_energy,
    )


@pcbatch.autobatch
def build_tree(settings, flow, start, depth, key, node):
    """Build the tree of the 2 ** depth states that follow `start`, or as much of it as is valid.

    Args:
      settings: `Settings`, static.
      flow: the `Flow` to follow.
      start: the `State` before the tree's first.
      depth: int32[], how often to double.
      key: uint32[2], the random key of the whole doubling.
      node: int32[], the number of this tree within the doubling, as in a binary heap: the root is 1
        and the children of n are 2n and 2n + 1. Each node has random numbers of its own.

    Returns:
      A `Tree`. Where it is turning or diverging, its proposal must not be used.
    """
    if depth == 0:
        state = start
        for _ in range(settings.steps_per_state):
            position, momentum = push(flow.metric, flow.step, state)
            point = settings.evaluate(settings.target, position, *flow.given)
            state = land(flow.step, point, momentum)
        return leaf(settings, flow, state)
    first = build_tree(settings, flow, start, depth - 1, key, 2 * node)
    if first.turning | first.diverging:
        return first
    second = build_tree(settings, flow, first.last, depth - 1, key, 2 * node + 1)
    return join(flow.metric, first, second, pcbatch.random.fold_in(key, node))


def join(metric: Metric, first: Tree, second: Tree, key: tf.Tensor) -> Tree:
    """Join two adjacent trees; the proposal is drawn from both by weight."""
    log_weight = log_add_exp(first.log_weight, second.log_weight)
    take_second = log_uniform(key, log_weight) < second.log_weight - log_weight
    turning = second.turning | termination.is_turning_across(
        metric,
        (first.first_momentum, first.last.momentum, first.momentum_sum),
        (second.first_momentum, second.last.momentum, second.momentum_sum),
    )
    return Tree(
        first_momentum=first.first_momentum,
        last=second.last,
        momentum_sum=first.momentum_sum + second.momentum_sum,
        proposal=choose(take_second, second.proposal, first.proposal),
        proposal_energy=choose(take_second, second.proposal_energy, first.proposal_energy),
        log_weight=log_weight,
        sum_accept_prob=first.sum_accept_prob + second.sum_accept_prob,
        num_states=first.num_states + second.num_states,
        turning=turning,
        diverging=second.diverging,
    )


def choose(condition: tf.Tensor, this, that):
    """`this` where the condition holds, else `that`, leaf by leaf."""
    return tf.nest.map_structure(lambda a, b: tf.where(condition, a, b), this, that)


@pcbatch.autobatch
def draw(settings, point, key, tuning, given=()):
    """Make one transition of the No-U-Turn Sampler.

    The trajectory has two ends and is doubled at one of them, chosen by a coin. To go on from the
    other end is to exchange the ends and to reverse the direction of time.

    Args:
      settings: `Settings`, static.
      point: the current `Point`.
      key: uint32[2], the random key of this draw.
      tuning: the `Tuning`.
      given: what the target takes beside the position, in a tuple.

    Returns:
      The `Point` drawn, and an `Info`.
    """
    metric = tuning.metric
    key_momentum, key_doubling = pcbatch.random.split(key)
    first = last = State(point, draw_momentum(key_momentum, metric))
    initial_energy = draw_energy = energy(metric, first)
    momentum_sum = first.momentum
    step = tuning.step_size
    log_weight = tf.zeros_like(initial_energy)
    sum_accept_prob = tf.zeros_like(initial_energy)
    num_states = depth = 0
    turning = diverging = False

    while depth < tuning.max_tree_depth and not (turning | diverging):
        key_end, key_tree, key_draw = pcbatch.random.split(
            pcbatch.random.fold_in(key_doubling, depth), 3
        )
        if pcbatch.random.bernoulli(key_end):
            first, last, step = last, first, -step
        flow = Flow(step, metric, initial_energy, given)
        tree = build_tree(settings, flow, last, depth, key_tree, 1)
        num_states += tree.num_states
        sum_accept_prob += tree.sum_accept_prob
        diverging = tree.diverging
        turning = tree.turning
        if not (turning | diverging):
            depth += 1
            if log_uniform(key_draw, log_weight) < tree.log_weight - log_weight:
                point, draw_energy = tree.proposal, tree.proposal_energy
            turning = termination.is_turning_across(
                metric,
                (first.momentum, last.momentum, momentum_sum),
                (tree.first_momentum, tree.last.momentum, tree.momentum_sum),
            )
            last = tree.last
            momentum_sum += tree.momentum_sum
            log_weight = log_add_exp(log_weight, tree.log_weight)

    accept_prob = sum_accept_prob / tf.cast(num_states, sum_accept_prob.dtype)
    num_leapfrogs = num_states * settings.steps_per_state
    return point, Info(draw_energy, accept_prob, depth, num_leapfrogs, diverging)


def log_add_exp(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """log(exp(a) + exp(b)), where not both are minus infinity."""
    return tf.maximum(a, b) + tf.math.log1p(tf.exp(-tf.abs(a - b)))


def log_uniform(key: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    """The log of a uniform random number, of the dtype of `like`."""
    return tf.math.log(pcbatch.random.uniform(key, (), like.dtype))
