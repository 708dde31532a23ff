"""The sampler as a `tfp.mcmc.TransitionKernel`, for programs that are built from those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow_probability as tfp

import pcbatch
from nuts.run.chain_layout import ChainLayout
from nuts.run.density import for_all_chains
from nuts.sampler.trajectory import Metric, Point, evaluate_batch
from nuts.sampler.tree import Info, draw
from nuts.sampler.tuning import Settings, Tuning

# Frames of the recursion beside those of the doublings: the call from a draw, and one to spare.
_MORE_FRAMES = 2


class NoUTurnSamplerResults(NamedTuple):
    """What the kernel hands from step to step, under TFP's names; batch means one per chain.

    Attributes:
      target_log_prob: float[*batch], the target at the state.
      grads_target_log_prob: a list, its gradient in each part of the state.
      step_size: as given; kernels that adapt it put another in its place.
      log_accept_ratio: float[*batch], the log of the mean of min(1, exp(-energy error)) over the
        trajectory.
      leapfrogs_taken: int32[*batch], the number of gradients.
      is_accepted: bool[*batch], whether the state moved.
      reach_max_depth: bool[*batch], whether the trajectory was doubled as often as is allowed.
      has_divergence: bool[*batch].
      energy: float[*batch], target_log_prob less the kinetic energy: TFP's sign, minus the
        Hamiltonian.
      seed: int32[2], the seed of the step.
      divergences: int32[*batch], how many steps diverged since `bootstrap_results`: those, too,
        that `num_steps_between_results` of `tfp.mcmc.sample_chain` leaves out.
      saturated: int32[*batch], the same for `reach_max_depth`.
      gradients: int64[*batch], the sum of `leapfrogs_taken` since then.
    """

    target_log_prob: tf.Tensor
    grads_target_log_prob: list[tf.Tensor]
    step_size: Any
    log_accept_ratio: tf.Tensor
    leapfrogs_taken: tf.Tensor
    is_accepted: tf.Tensor
    reach_max_depth: tf.Tensor
    has_divergence: tf.Tensor
    energy: tf.Tensor
    seed: tf.Tensor
    divergences: tf.Tensor
    saturated: tf.Tensor
    gradients: tf.Tensor


class NoUTurnSampler(tfp.mcmc.TransitionKernel):
    """Takes one step of the No-U-Turn Sampler with many chains, each at its own place.

    A replacement for `tfp.mcmc.NoUTurnSampler` in `tfp.mcmc.sample_chain` and under
    `tfp.mcmc.DualAveragingStepSizeAdaptation`. It computes what `nuts.sample` computes. Chains wait
    for each other after every draw, as they do in every transition kernel; in `nuts.sample` they do
    not.

    Args:
      target_log_prob_fn: takes the state (its parts, where it is a list) of all chains,
        `[*batch, ...]` each, and returns log densities, `[*batch]`.
      step_size: a number, or a tensor or a list of tensors that broadcast with the parts of the
        state: sizes of their own for coordinates or for chains.
      max_tree_depth: a trajectory has at most 2 ** max_tree_depth states.
      max_energy_diff: a trajectory whose energy rises by more than this diverges.
      unrolled_leapfrog_steps: how many leapfrog steps lead from one state of a trajectory to the
        next; the points between them are not drawn.
      parallel_iterations: for `tf.while_loop` in TFP's kernel; without effect here, as XLA orders
        the work itself.
      name: for messages.
    """

    def __init__(
        self,
        target_log_prob_fn: Callable[..., tf.Tensor],
        step_size: Any,
        max_tree_depth: int = 10,
        max_energy_diff: float = 1000.0,
        unrolled_leapfrog_steps: int = 1,
        parallel_iterations: int = 10,
        name: str | None = None,
    ):
        if not callable(target_log_prob_fn):
            raise TypeError(f"target_log_prob_fn must be a function, not {target_log_prob_fn!r}")
        counts = {
            "max_tree_depth": max_tree_depth,
            "unrolled_leapfrog_steps": unrolled_leapfrog_steps,
            "parallel_iterations": parallel_iterations,
        }
        for argument, count in counts.items():
            if not isinstance(count, int) or count < 1:
                raise ValueError(f"{argument} must be a positive integer, not {count!r}")
        self._parameters = {
            "target_log_prob_fn": target_log_prob_fn,
            "step_size": step_size,
            "max_energy_diff": max_energy_diff,
            **counts,
            "name": name or "NoUTurnSampler",
        }
        # The compiled program belongs to its settings: one of these for each layout of the state.
        self._settings: dict[Any, Settings] = {}

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return self._parameters

    @property
    def is_calibrated(self) -> bool:
        """True: no Metropolis-Hastings step is to be put around it."""
        return True

    @property
    def step_size(self) -> Any:
        """As given to the constructor."""
        return self._parameters["step_size"]

    @property
    def max_tree_depth(self) -> int:
        """A trajectory has at most 2 ** max_tree_depth states."""
        return self._parameters["max_tree_depth"]

    @property
    def unrolled_leapfrog_steps(self) -> int:
        """How many leapfrog steps lead from one state of a trajectory to the next."""
        return self._parameters["unrolled_leapfrog_steps"]

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._parameters["name"]

    def bootstrap_results(self, init_state: Any) -> NoUTurnSamplerResults:
        """Make the results that belong to the first state."""
        parts = [tf.convert_to_tensor(part) for part in _parts(init_state)]
        with tf.GradientTape() as tape:
            tape.watch(parts)
            log_prob = self._parameters["target_log_prob_fn"](*parts)
        gradients = tape.gradient(log_prob, parts)
        if any(gradient is None for gradient in gradients):
            raise ValueError("target_log_prob_fn has no gradient in some part of the state")
        none = tf.zeros_like(log_prob, tf.bool)
        never = tf.zeros_like(log_prob, tf.int32)
        return NoUTurnSamplerResults(
            target_log_prob=log_prob,
            grads_target_log_prob=gradients,
            step_size=tf.nest.map_structure(
                lambda size: tf.convert_to_tensor(size, log_prob.dtype), self.step_size
            ),
            log_accept_ratio=tf.zeros_like(log_prob),
            leapfrogs_taken=never,
            is_accepted=none,
            reach_max_depth=none,
            has_divergence=none,
            energy=log_prob,
            seed=tf.zeros([2], tf.int32),
            divergences=never,
            saturated=never,
            gradients=tf.cast(never, tf.int64),
        )

    def one_step(
        self, current_state: Any, previous_kernel_results: NoUTurnSamplerResults, seed: Any = None
    ) -> tuple[Any, NoUTurnSamplerResults]:
        """Make one draw in every chain.

        Args:
          current_state: a tensor, or a list of tensors: `[*batch, ...]` each.
          previous_kernel_results: of the step before, or from `bootstrap_results`.
          seed: int32[2], TFP's stateless seed. An integer or None is made one as TFP does.

        Returns:
          The new state and its `NoUTurnSamplerResults`. The same seed gives the same step.
        """
        seed = tfp.random.sanitize_seed(seed)
        before = previous_kernel_results
        layout = ChainLayout(_parts(current_state), before.target_log_prob)
        point = Point(
            layout.flatten(_parts(current_state)),
            tf.reshape(before.target_log_prob, [layout.num_chains]),
            layout.flatten(before.grads_target_log_prob),
        )
        after, info = self._draw(layout, point, layout.metric(before.step_size), seed)
        moved = tf.reduce_any(after.position != point.position, 1)
        leapfrogs = layout.per_chain(info.num_leapfrogs)
        diverging = layout.per_chain(info.diverging)
        saturated = layout.per_chain(info.tree_depth >= self.max_tree_depth)
        return _like(current_state, layout.unflatten(after.position)), NoUTurnSamplerResults(
            target_log_prob=layout.per_chain(after.log_density),
            grads_target_log_prob=layout.unflatten(after.gradient),
            step_size=before.step_size,
            log_accept_ratio=layout.per_chain(tf.math.log(info.accept_prob)),
            leapfrogs_taken=leapfrogs,
            is_accepted=layout.per_chain(moved),
            reach_max_depth=saturated,
            has_divergence=diverging,
            energy=-layout.per_chain(info.energy),
            seed=seed,
            divergences=before.divergences + tf.cast(diverging, tf.int32),
            saturated=before.saturated + tf.cast(saturated, tf.int32),
            gradients=before.gradients + tf.cast(leapfrogs, tf.int64),
        )

    def _draw(
        self, layout: ChainLayout, point: Point, metric: Metric, seed: tf.Tensor
    ) -> tuple[Point, Info]:
        """Run the recursive sampler once, for chains in a row."""
        run_one = transition_each if metric.inverse_mass.shape.rank == 2 else transition
        result = run_one.run(
            self._settings_for(layout),
            point,
            tf.bitcast(seed, tf.uint32),
            tf.range(layout.num_chains),
            metric,
            tf.constant(self.max_tree_depth),
            # In a tf.function stacks cannot grow; the recursion is never deeper than this.
            max_stack_depth=self.max_tree_depth + _MORE_FRAMES,
        )
        return result.value if tf.inside_function() else result.check().value

    def _settings_for(self, layout: ChainLayout) -> Settings:
        key = layout.key
        if key not in self._settings:
            target_log_prob_fn = self._parameters["target_log_prob_fn"]

            def target(position: tf.Tensor) -> tf.Tensor:
                log_prob = target_log_prob_fn(*layout.unflatten(position))
                return tf.reshape(log_prob, [layout.num_chains])

            self._settings[key] = Settings(
                for_all_chains(target, layout.num_chains),
                float(self._parameters["max_energy_diff"]),
                evaluate_batch,
                steps_per_state=self.unrolled_leapfrog_steps,
            )
        return self._settings[key]


def _transition(settings, point, key, chain, metric, max_tree_depth):
    """One draw of one chain; the step sizes are in the metric."""
    tuning = Tuning(tf.ones_like(point.log_density), metric, max_tree_depth)
    return draw(settings, point, pcbatch.random.fold_in(key, chain), tuning)


transition = pcbatch.autobatch(
    _transition, in_axes=(None, 0, None, 0, None, None), static_argnames=("settings",)
)
"""One draw of all chains with the same step sizes."""

transition_each = pcbatch.autobatch(
    _transition, in_axes=(None, 0, None, 0, 0, None), static_argnames=("settings",)
)
"""One draw of all chains, each with step sizes of its own."""


def _parts(state: Any) -> list[tf.Tensor]:
    """The parts of a state: a tensor, or a flat list or tuple of tensors.

    Raises:
      TypeError: it is something else.
    """
    if not tf.nest.is_nested(state):
        return [tf.convert_to_tensor(state)]
    if not isinstance(state, list | tuple) or any(tf.nest.is_nested(part) for part in state):
        raise TypeError(f"the state must be a tensor or a list of tensors, not {state!r}")
    return [tf.convert_to_tensor(part) for part in state]


def _like(state: Any, parts: list[tf.Tensor]) -> Any:
    return tf.nest.pack_sequence_as(state, parts)
