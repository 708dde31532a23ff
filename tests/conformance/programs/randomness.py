"""Random numbers: keys are ordinary values, one per member, split along the way."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, doubles, ints


@pcbatch.autobatch
def random_walk(seed, barrier):
    """Steps of plus or minus one until the barrier; the number of steps and the side."""
    key = pcbatch.random.key(seed)
    position, steps = 0, 0
    while abs(position) < barrier and steps < 40:
        up = pcbatch.random.bernoulli(pcbatch.random.fold_in(key, steps))
        position += 1 if up else -1
        steps += 1
    return position, steps


@pcbatch.autobatch
def metropolis(seed, start, scale):
    """A Metropolis chain on a standard normal; the number of acceptances comes along."""
    key = pcbatch.random.key(seed)
    x, accepted = start, 0
    for _ in range(15):
        key, proposal_key, accept_key = tf.unstack(pcbatch.random.split(key, 3))
        proposal = x + scale * pcbatch.random.normal(proposal_key, dtype=tf.float64)
        log_ratio = 0.5 * (x * x - proposal * proposal)
        if pcbatch.random.uniform(accept_key, dtype=tf.float64) < tf.exp(log_ratio):
            x = proposal
            accepted += 1
    return x, accepted


@pcbatch.autobatch
def branching_process(key, generation):
    """Size of a random tree: the key is split in a recursion."""
    if generation == 0:
        return 1
    keys = pcbatch.random.split(key, 3)
    children = pcbatch.random.randint(keys[0], (), 0, 3)
    size = 1
    if children > 0:
        size += branching_process(keys[1], generation - 1)
    if children > 1:
        size += branching_process(keys[2], generation - 1)
    return size


@pcbatch.autobatch
def branching(seed, generations):
    return branching_process(pcbatch.random.key(seed), generations)


@pcbatch.autobatch
def rejection(seed):
    """Draw points in a square until one falls into the circle."""
    key = pcbatch.random.key(seed)
    tries = 0
    while True:
        point = pcbatch.random.uniform(
            pcbatch.random.fold_in(key, tries), [2], minval=-1.0, maxval=1.0
        )
        tries += 1
        if tf.reduce_sum(point * point) < 0.5:
            return point, tries


_SEEDS = np.arange(8, dtype=np.int32) * 17 + 1

PROGRAMS = (
    Program(
        "random_walk",
        random_walk,
        (_SEEDS, ints(0, 1, 2, 3, 4, 5, 3, 2)),
        plain="tensor",
        tags=("xla", "random"),
    ),
    Program(
        "metropolis",
        metropolis,
        (_SEEDS, doubles(0, 1, -1, 3, 0.5, 0, -2, 5), doubles(1, 0.5, 2, 1, 0.1, 3, 1, 1)),
        roundings=64,
        plain="tensor",
        tags=("random",),
    ),
    Program(
        "branching_process",
        branching,
        (_SEEDS, ints(0, 1, 2, 3, 4, 5, 6, 7)),
        plain="tensor",
        tags=("random",),
    ),
    Program(
        "rejection_sampling",
        rejection,
        (_SEEDS,),
        roundings=4,
        plain="tensor",
        tags=("random",),
    ),
)
