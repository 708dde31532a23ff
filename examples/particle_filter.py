"""A hidden walk, by a particle filter: `python examples/particle_filter.py [picture.png]`."""

import sys

import numpy as np
import tensorflow as tf

import pcbatch

random = pcbatch.random


@pcbatch.autobatch(in_axes=(0, 0, None))
def log_likelihood(key, noise, observed):
    """The log likelihood of float[T] for a walk with steps of this size, seen with errors of 0.5.

    Fifty particles (Gordon, Salmond and Smith 1993); they are drawn anew where few of them have
    most of the weight.
    """
    particles, weights = tf.zeros([50]), tf.fill([50], 1 / 50)
    total, renewed = 0.0, 0
    for t in range(len(observed)):
        step, choice = tf.unstack(random.split(random.fold_in(key, t)))
        particles += noise * random.normal(step, [50])
        weights *= tf.exp(-2.0 * (observed[t] - particles) ** 2)
        seen = tf.reduce_sum(weights)
        if seen < 1e-30:
            return -np.inf, renewed
        total += tf.math.log(seen)
        weights /= seen
        if tf.reduce_sum(weights**2) > 1 / 25:
            places = (tf.range(50.0) + random.uniform(choice)) / 50
            particles = tf.gather(particles, tf.searchsorted(tf.cumsum(weights), places * 0.9999))
            weights = tf.fill([50], 1 / 50)
            renewed += 1
    return total, renewed


def inputs(members):
    """Sizes of steps from 0.05 to 2, and what was seen of a walk with steps of 0.4."""
    draws = np.random.default_rng(1).normal(size=[2, 60])
    observed = (np.cumsum(0.4 * draws[0]) + 0.5 * draws[1]).astype(np.float32)
    noise = np.geomspace(0.05, 2.0, members, dtype=np.float32)
    return random.split(random.key(0), members), noise, observed


def draw(batch, result, path):
    """The likelihood by the size of steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    dots = axes.scatter(batch[1], result[0], c=result[1], s=4, cmap="viridis")
    axes.axvline(0.4, color="grey")
    axes.set(xlabel="size of a step", ylabel="log likelihood", xscale="log")
    figure.colorbar(dots, label="times drawn anew")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = log_likelihood(*batch)
    print(batch[1][np.argmax(result[0])])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
