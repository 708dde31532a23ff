"""Multinomial Hamiltonian Monte Carlo with trajectories of random length.

Source: Betancourt 2017, "A Conceptual Introduction to Hamiltonian Monte Carlo", appendix A.2 and
A.3.1: the trajectory is one of those of its length that hold the current state, each as likely as
any other, and the next state is drawn from it by weight exp(-energy). That the length is random is
against orbits that come back to where they began (Neal 2011, section 5.4.2).
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

import pcbatch
from nuts.sampler import trajectory
from nuts.sampler.trajectory import Metric, Point, State, Target
from nuts.sampler.tree import log_add_exp
from nuts.samplers.transition import Info, log_uniform


@dataclasses.dataclass(frozen=True)
class MultinomialHMC:
    """Draw from a density with a gradient.

    Attributes:
      log_density: of a position `float[D]`.
      step_size: of the leapfrog integrator.
      max_steps: the number of leapfrog steps is uniform on 1, ..., max_steps.
      inverse_mass: an estimate of the posterior variances: one number, or one per coordinate.
    """

    log_density: Target
    step_size: float
    max_steps: int
    inverse_mass: float | tuple[float, ...] = 1.0

    def start(self, position: tf.Tensor) -> Point:
        """Evaluate what a chain needs to know where it begins, float[D]."""
        return trajectory.evaluate(self.log_density, position)

    def metric(self, position: tf.Tensor) -> Metric:
        return trajectory.scaled_metric(self.inverse_mass, position)

    @pcbatch.autobatch
    def step(self, point, key):
        """Make one transition: the current `Point` and a key give the next and an `Info`."""
        dtype = point.position.dtype
        key_momentum, key_length, key_past, key_draw = tf.unstack(pcbatch.random.split(key, 4))
        metric = self.metric(point.position)
        start = state = State(point, trajectory.draw_momentum(key_momentum, metric))
        initial_energy = trajectory.energy(metric, start)
        length = pcbatch.random.randint(key_length, (), 1, self.max_steps + 1)
        past = pcbatch.random.randint(key_past, (), 0, length + 1)

        nothing = tf.constant(-float("inf"), dtype)
        accepted = False
        log_weight = tf.zeros_like(initial_energy)
        step_size = tf.constant(self.step_size, dtype)
        time_step = -step_size
        for i in range(length):
            if i == past:
                state, time_step = start, step_size
            state = trajectory.leapfrog(self.log_density, metric, time_step, state)
            gain = initial_energy - trajectory.energy(metric, state)
            gain = tf.where(tf.math.is_nan(gain), nothing, gain)
            log_weight = log_add_exp(log_weight, gain)
            # Each state replaces the one drawn so far with its share of the weight up to here.
            key_state = pcbatch.random.fold_in(key_draw, i)
            if log_uniform(key_state, dtype) < gain - log_weight:
                point, accepted = state.point, True
        return point, Info(accepted, length)
