"""Round trips by simulated annealing: `python examples/annealing.py [picture.png]`."""

import math
import sys

import numpy as np
import tensorflow as tf

import pcbatch

random = pcbatch.random


def distance(towns, a, b):
    return math.hypot(towns[a, 0] - towns[b, 0], towns[a, 1] - towns[b, 1])


@pcbatch.autobatch(in_axes=(0, 0, None))
def shortest(key, towns, steps):
    """A short round trip through the towns, float[N, 2]: their order, and its length."""
    n = len(towns)
    trip = np.arange(n)
    for step in range(steps):
        heat = 0.3 * (1.0 - step / steps) ** 2
        where, accept = tf.unstack(random.split(random.fold_in(key, step)))
        i, j = sorted(random.randint(where, [2], 0, n))
        before, behind = trip[i - 1], trip[(j + 1) % n]
        longer = distance(towns, before, trip[j]) + distance(towns, trip[i], behind)
        longer -= distance(towns, before, trip[i]) + distance(towns, trip[j], behind)
        if j - i < n - 2 and (
            longer < 0.0 or random.uniform(accept) < math.exp(-longer / (heat + 1e-6))
        ):
            while i < j:  # turn the part between them round
                trip[i], trip[j] = trip[j], trip[i]
                i, j = i + 1, j - 1
    return trip, sum(distance(towns, trip[k - 1], trip[k]) for k in range(n))


def inputs(members):
    """Twenty towns for each member."""
    towns = np.random.default_rng(0).random([members, 20, 2]).astype(np.float32)
    return random.split(random.key(0), members), towns, 3000


def draw(batch, result, path):
    """Six of the trips."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    for k, axes in zip(range(len(batch[1])), figure.subplots(2, 3).flat, strict=False):
        trip = result[0].numpy()[k]
        axes.plot(*batch[1][k][[*trip, trip[0]]].T, marker=".")
        axes.set_title(f"{result[1].numpy()[k]:.2f}")
        axes.axis("off")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(100)
    result = shortest(*batch)
    print(result[1].numpy()[:5])
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
