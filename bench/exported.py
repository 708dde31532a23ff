"""Export NUTS programs for another machine: `python -m bench.exported DIRECTORY --chains 100 1000`.

Writes one archive per target and number of chains, and each target's data, for `bench/gpu.py`.
Targets: the logistic regression of Radul et al. 2020 (10,000 x 100), and a 100-d normal, its scales
exp(u) with u uniform on (-1, 1).
"""

from __future__ import annotations

import argparse
import os
import pathlib
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

import pcbatch
from bench.targets import LogisticRegression
from nuts.adaptation.ensemble import chain_keys
from nuts.sampler.trajectory import evaluate
from nuts.sampler.tree import draw
from nuts.sampler.tuning import Settings, make_tuning

STEP_SIZE = {"logistic": 0.02, "normal": 0.2}
MAX_TREE_DEPTH = 10
STACK_DEPTH = 16  # a trajectory is doubled ten times; one frame a doubling


@pcbatch.autobatch(static_argnames="settings", in_axes=(None, 0, 0, None, None))
def sample(settings, position, key, tuning, draws):
    """Make draws from one chain; the last position, the sum of all, and the leapfrogs taken."""
    point = evaluate(settings.target, position)
    total = tf.zeros_like(position)
    leapfrogs = 0
    for i in range(draws):
        point, info = draw(settings, point, pcbatch.random.fold_in(key, i), tuning)
        total += point.position
        leapfrogs += info.num_leapfrogs
    return {"last": point.position, "sum": total, "leapfrogs": leapfrogs}


def normal(scales: np.ndarray) -> Callable[[tf.Tensor], tf.Tensor]:
    """The log density of independent normal variables with mean 0."""
    precision = tf.constant(1.0 / scales**2)
    return lambda position: -0.5 * tf.reduce_sum(precision * position * position)


def logistic_target(directory: pathlib.Path, points: int, dim: int) -> Callable[..., tf.Tensor]:
    """The log density of the regression; its data go to a file."""
    target = LogisticRegression.synthetic(points, dim)
    data = {"features": target.features, "outcomes": target.outcomes, "center": target.truth}
    np.savez(directory / "logistic.npz", spread=np.full(dim, 0.05, np.float32), **data)
    return target.log_density()


def normal_target(directory: pathlib.Path, dim: int) -> Callable[..., tf.Tensor]:
    """The log density of the normal; its scales go to a file."""
    scales = np.exp(np.random.default_rng(0).uniform(-1.0, 1.0, dim)).astype(np.float32)
    np.savez(directory / "normal.npz", center=np.zeros(dim, np.float32), spread=scales)
    return normal(scales)


def export(
    directory: pathlib.Path, name: str, log_density: Callable[..., tf.Tensor], dim: int, chains: int
) -> None:
    """Compile one program and write it, with its chains' keys."""
    tuning = make_tuning(np.float32(STEP_SIZE[name]), np.ones(dim), MAX_TREE_DEPTH, tf.float32)
    keys = chain_keys(0, chains)[1]
    positions = tf.TensorSpec([chains, dim], tf.float32)
    lowered = sample.lower(Settings(log_density), positions, keys, tuning, tf.constant(1))
    lowered.compile(max_stack_depth=STACK_DEPTH).export(
        str(directory / f"{name}-{chains}.zip"), platform="gpu"
    )
    np.savez(
        directory / f"{name}-{chains}.npz",
        keys=keys,
        step_size=np.float32(STEP_SIZE[name]),
        inverse_mass=tuning.metric.inverse_mass,
        momentum_scale=tuning.metric.momentum_scale,
        max_tree_depth=np.int32(MAX_TREE_DEPTH),
    )


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and export everything."""
    parser = argparse.ArgumentParser(prog="python -m bench.exported", description=__doc__)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--chains", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    parser.add_argument("--points", type=int, default=10_000, help="data points of the regression")
    parser.add_argument("--dim", type=int, default=100, help="variables of both targets")
    options = parser.parse_args(arguments)
    options.directory.mkdir(parents=True, exist_ok=True)
    targets = {
        "logistic": logistic_target(options.directory, options.points, options.dim),
        "normal": normal_target(options.directory, options.dim),
    }
    for name, log_density in targets.items():
        for chains in options.chains:
            export(options.directory, name, log_density, options.dim, chains)
            print(f"exported {name}, {chains} chains", flush=True)


if __name__ == "__main__":
    main()
