"""NUTS draws from three posteriors: `python examples/posteriors.py [picture.png]`."""

import sys

import numpy as np
import tensorflow as tf

import nuts

EFFECTS = np.float32([28, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.float32([15, 10, 16, 11, 9, 11, 10, 18])
DOSES = np.float32([-0.86, -0.30, -0.05, 0.73])
DEATHS = np.float32([0, 1, 3, 5])


def banana(x):
    """A bent ridge (after Haario, Saksman and Tamminen 1999)."""
    return -0.5 * ((x[0] / 2.0) ** 2 + (x[1] - 0.5 * x[0] ** 2) ** 2)


def eight_schools(x):
    """Effects of coaching (Rubin 1981): their mean, the logarithm of their spread, the schools."""
    schools = x[0] + tf.exp(x[1]) * x[2:]
    likelihood = -0.5 * tf.reduce_sum(((EFFECTS - schools) / ERRORS) ** 2)
    half_cauchy = x[1] - tf.math.log1p(tf.exp(2.0 * x[1]) / 25.0)
    return likelihood - 0.5 * tf.reduce_sum(x[2:] ** 2) - 0.02 * x[0] ** 2 + half_cauchy


def bioassay(x):
    """Five animals at each of four doses, by their logarithms (Gelman and others 1995)."""
    logits = x[0] + x[1] * DOSES
    likelihood = tf.reduce_sum(DEATHS * logits - 5.0 * tf.math.softplus(logits))
    return likelihood - 0.5 * ((x[0] / 2.0) ** 2 + (x[1] / 10.0) ** 2)


MODELS = {banana: 2, eight_schools: 10, bioassay: 2}


def draws(*starts):
    """Two hundred draws of each model for each chain."""
    options = {"num_draws": 200, "num_warmup": 150, "progress": False}
    fits = [
        nuts.sample(model, start, num_chains=len(start), **options)
        for model, start in zip(MODELS, starts, strict=True)
    ]
    return tuple(fit.draws for fit in fits)


def inputs(members):
    """Where the chains of each model start: uniform on (-2, 2)."""
    random = np.random.default_rng(0)
    return tuple(
        random.uniform(-2.0, 2.0, [members, n]).astype(np.float32) for n in MODELS.values()
    )


def draw(batch, result, path):
    """Two numbers of each posterior."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    for axes, model, found in zip(figure.subplots(1, 3), MODELS, result, strict=True):
        axes.scatter(*found[:, ::10, :2].reshape(-1, 2).T, s=1, alpha=0.3)
        axes.set_title(model.__name__.replace("_", " "))
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(200)
    result = draws(*batch)
    for model, found in zip(MODELS, result, strict=True):
        print(model.__name__, found.mean((0, 1)).round(1))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
