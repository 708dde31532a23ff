"""One chain: draw after draw, recorded as it goes.

The loop over draws is inside the batched program. Chains therefore never wait for each other: while
one doubles its trajectory a tenth time, another is draws ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

import pcbatch
from nuts.tree import Tuning, draw


class Record(NamedTuple):
    """What a chain writes down, one row a draw.

    Attributes:
      position: float[length, D].
      lp: float[length], the log density.
      accept_prob: float[length], the mean acceptance probability over the trajectory.
      tree_depth: int32[length].
      num_leapfrogs: int32[length].
      energy: float[length].
      diverging: bool[length].
    """

    position: tf.Tensor
    lp: tf.Tensor
    accept_prob: tf.Tensor
    tree_depth: tf.Tensor
    num_leapfrogs: tf.Tensor
    energy: tf.Tensor
    diverging: tf.Tensor


def chain(settings, length, point, key, tuning, first_draw, num_draws, thin):
    """Make `num_draws` draws and record every `thin`-th.

    A draw's random numbers depend on the chain's key and the draw's number alone, so that a run in
    several pieces gives the same draws as a run in one.

    Args:
      settings: `nuts.tree.Settings`, static.
      length: static, the number of rows to make room for, at least `num_draws / thin`.
      point: the `Point` to start from.
      key: uint32[2], the chain's key.
      tuning: the `nuts.tree.Tuning`.
      first_draw: int32[], the number of draws that this chain has made before.
      num_draws: int32[], the number of draws to make now, a multiple of `thin`.
      thin: int32[], the number of draws per row.

    Returns:
      The last `Point` and the `Record`, whose rows beyond those recorded are zero.
    """
    position = pcbatch.buffer(length, like=point.position)
    lp = pcbatch.buffer(length, like=point.log_density)
    accept_prob = pcbatch.buffer(length, like=point.log_density)
    tree_depth = pcbatch.buffer(length, like=0)
    num_leapfrogs = pcbatch.buffer(length, like=0)
    energy = pcbatch.buffer(length, like=point.log_density)
    diverging = pcbatch.buffer(length, like=False)

    for i in range(num_draws):
        draw_key = pcbatch.random.fold_in(key, first_draw + i)
        point, info = draw(settings, point, draw_key, tuning)
        row = i // thin
        # The draws that share a row overwrite each other; the last of them stays.
        position[row] = point.position
        lp[row] = point.log_density
        accept_prob[row] = info.accept_prob
        tree_depth[row] = info.tree_depth
        num_leapfrogs[row] = info.num_leapfrogs
        energy[row] = info.energy
        diverging[row] = info.diverging

    record = Record(position, lp, accept_prob, tree_depth, num_leapfrogs, energy, diverging)
    return point, record


run_pool = pcbatch.autobatch(
    chain,
    in_axes=(None, None, 0, 0, None, None, None, None),
    static_argnames=("settings", "length"),
)
"""Many chains with one tuning."""

run_each = pcbatch.autobatch(
    chain,
    in_axes=(None, None, 0, 0, Tuning(0, 0, None), None, None, None),
    static_argnames=("settings", "length"),
)
"""Many chains, each with a step size and a metric of its own."""
