"""One chain: draw after draw, recorded as it goes.

The loop over draws is inside the batched program. Chains therefore never wait for each other: while
one doubles its trajectory a tenth time, another is draws ahead.

Where draws are thinned a row has the position, log density and energy of its last draw. Its counts
and its mean acceptance are over all of its draws: a divergence between two rows must not be lost.
Nor must a change of energy: a sum has those within a row, the row's first energy the one before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.sampler.tree import draw


class Record(NamedTuple):
    """What a chain writes down, one row for each `thin` draws.

    Attributes:
      position: float[length, D].
      lp: float[length], the log density.
      accept_prob: float[length], the mean acceptance probability, over the trajectory and over the
        draws of the row.
      tree_depth: int32[length], the largest of the row's draws.
      num_leapfrogs: int32[length], of all draws of the row.
      energy: float[length].
      first_energy: float[length], the energy of the row's first draw.
      energy_changes: float[length], the sum of the squared changes of energy from draw to draw,
        from the row's first to its last.
      divergences: int32[length], how many of the row's draws diverged.
      saturated: int32[length], how many reached the largest tree depth.
      discrete: int32[length, K], the discrete values; an empty tuple where there are none.
    """

    position: Any
    lp: Any
    accept_prob: Any
    tree_depth: Any
    num_leapfrogs: Any
    energy: Any
    first_energy: Any
    energy_changes: Any
    divergences: Any
    saturated: Any
    discrete: Any = ()

    @property
    def diverging(self) -> Any:
        """bool[length], whether a draw of the row diverged."""
        return self.divergences > 0


class RunStopped(KeyboardInterrupt):
    """Ctrl-C stopped a run of the compiled program.

    Attributes:
      record: the rows that every chain had written: NumPy arrays [chains, rows, ...].
    """

    def __init__(self, record: Record):
        super().__init__("stopped")
        self.record = record


class RunLost(Exception):
    """The workers of an executor that ran some chains were lost, and so were those after them.

    Attributes:
      chains: int[lost], the numbers of these chains.
      cause: what is known about it, and what to do.
      record: the rows that every chain had written: NumPy arrays [chains, rows, ...].
    """

    def __init__(self, chains: np.ndarray, cause: str, record: Record):
        super().__init__(cause)
        self.chains = chains
        self.cause = cause
        self.record = record


def whole_rows(record: Record, thin: int) -> int:
    """How many rows every chain has written to its end, in a run that was stopped.

    A row's gradients are written last. Where draws are thinned the last row may be half done.

    Args:
      record: NumPy arrays [chains, length, ...].
      thin: the draws of a row.
    """
    begun = int(np.count_nonzero(record.num_leapfrogs, axis=1).min(initial=record.lp.shape[1]))
    return max(begun - (thin > 1), 0)


def chain(settings, length, point, key, tuning, first_draw, num_draws, thin):
    """Make `num_draws` draws and record every `thin`-th.

    A draw's random numbers depend on the chain's key and the draw's number alone, so that a run in
    several pieces gives the same draws as a run in one.

    Args:
      settings: `nuts.sampler.tuning.Settings`, static.
      length: static, the number of rows to make room for, at least `num_draws / thin`.
      point: the `Point` to start from, a `MixedPoint` where the settings have a `gibbs`.
      key: uint32[2], the chain's key.
      tuning: the `nuts.sampler.tuning.Tuning`.
      first_draw: int32[], the number of draws that this chain has made before.
      num_draws: int32[], the number of draws to make now, a multiple of `thin`.
      thin: int32[], the number of draws per row.

    Returns:
      The last point and the `Record`, whose rows beyond those recorded are zero.
    """
    position = pcbatch.buffer(length, like=point.position)
    lp = pcbatch.buffer(length, like=point.log_density)
    accept_prob = pcbatch.buffer(length, like=point.log_density)
    tree_depth = pcbatch.buffer(length, like=0)
    num_leapfrogs = pcbatch.buffer(length, like=0)
    energy = pcbatch.buffer(length, like=point.log_density)
    first_energy = pcbatch.buffer(length, like=point.log_density)
    energy_changes = pcbatch.buffer(length, like=point.log_density)
    divergences = pcbatch.buffer(length, like=0)
    saturated = pcbatch.buffer(length, like=0)
    discrete: Any = ()
    if settings.gibbs is not None:
        discrete = pcbatch.buffer(length, like=point.discrete)
    accepted = changes = last_energy = begin_energy = tf.zeros_like(point.log_density)
    depth = gradients = diverged = full = 0

    for i in range(num_draws):
        if i % thin == 0:
            accepted = changes = tf.zeros_like(accepted)
            depth = gradients = diverged = full = 0
        draw_key = pcbatch.random.fold_in(key, first_draw + i)
        if settings.gibbs is None:
            point, info = draw(settings, point, draw_key, tuning)
        else:
            point, info = settings.gibbs.step(settings, point, draw_key, tuning)
        accepted += info.accept_prob
        if i % thin == 0:
            begin_energy = info.energy
        else:
            changes += tf.square(info.energy - last_energy)
        last_energy = info.energy
        depth = tf.maximum(depth, info.tree_depth)
        gradients += info.num_leapfrogs
        diverged += tf.cast(info.diverging, tf.int32)
        full += tf.cast(info.tree_depth >= tuning.max_tree_depth, tf.int32)
        row = i // thin
        # The draws that share a row overwrite each other; the last of them stays.
        position[row] = point.position
        lp[row] = point.log_density
        accept_prob[row] = accepted / tf.cast(thin, accepted.dtype)
        tree_depth[row] = depth
        energy[row] = info.energy
        first_energy[row] = begin_energy
        energy_changes[row] = changes
        divergences[row] = diverged
        saturated[row] = full
        if settings.gibbs is not None:
            discrete[row] = point.discrete
        num_leapfrogs[row] = gradients  # last, see `whole_rows`

    record = Record(
        position,
        lp,
        accept_prob,
        tree_depth,
        num_leapfrogs,
        energy,
        first_energy,
        energy_changes,
        divergences,
        saturated,
        discrete,
    )
    return point, record


run_pool = pcbatch.autobatch(
    chain,
    in_axes=(None, None, 0, 0, (0, None, None), None, None, None),
    static_argnames=("settings", "length"),
)
"""Many chains with one metric, each with a step size of its own."""

run_each = pcbatch.autobatch(
    chain,
    in_axes=(None, None, 0, 0, (0, 0, None), None, None, None),
    static_argnames=("settings", "length"),
)
"""Many chains, each with a step size and a metric of its own."""
