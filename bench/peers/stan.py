"""Stan, by pystan: one chain per thread in C++, float64, its own derivatives.

pystan offers the adaptive sampler only, which changes the step size even where no warmup is asked
for. Stan is therefore measured with a warmup of its own, whose gradients count; what a gradient
takes does not depend on the step size. Compiling the model is not counted; what the server that
pystan talks to takes is. Every run has another seed, as the server keeps the results of a seed.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable

import numpy as np
import stan

from bench.sampler import MAX_TREE_DEPTH, Draws
from bench.targets import LogisticRegression, Normal, Target

WARMUP = 200
_NORMAL = """
data { int dim; vector[dim] scales; }
parameters { vector[dim] position; }
model { position ~ normal(0, scales); }
"""
_LOGISTIC = """
data { int points; int dim; matrix[points, dim] features; array[points] int outcomes; }
parameters { vector[dim] position; }
model {
  position ~ normal(0, 1);
  outcomes ~ bernoulli_logit_glm(features, 0, position);
}
"""


@functools.singledispatch
def _model(target: Target) -> tuple[str, dict]:
    raise TypeError(f"no Stan form of {type(target).__name__}")


@_model.register
def _(target: Normal) -> tuple[str, dict]:
    return _NORMAL, {"dim": target.dim, "scales": target.scales.tolist()}


@_model.register
def _(target: LogisticRegression) -> tuple[str, dict]:
    points, dim = target.features.shape
    data = {
        "points": points,
        "dim": dim,
        "features": target.features.tolist(),
        "outcomes": target.outcomes.astype(int).tolist(),
    }
    return _LOGISTIC, data


def make(target: Target, chains: int, step_size: float, draws: int) -> Callable[[], Draws]:
    """Make the sampler; see `bench.peers`. The step size is where Stan's search begins."""
    program, data = _model(target)
    model, seeds = stan.build(program, data=data, random_seed=1), itertools.count(1)
    init = [{"position": start.tolist()} for start in target.starts(chains)]

    def run() -> Draws:
        fit = dataclasses.replace(model, random_seed=next(seeds)).sample(
            num_chains=chains,
            num_samples=draws,
            num_warmup=WARMUP,
            save_warmup=True,
            stepsize=step_size,
            max_depth=MAX_TREE_DEPTH,
            init=init,
        )
        positions = fit["position"].reshape(target.dim, WARMUP + draws, chains)
        leapfrogs = fit["n_leapfrog__"].reshape(WARMUP + draws, chains)
        positions = np.moveaxis(positions, 0, 2).swapaxes(0, 1)[:, WARMUP:]
        return Draws(positions, leapfrogs.T.astype(int))

    return run
