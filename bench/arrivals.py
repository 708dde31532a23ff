"""Do all chains arrive? Random starts against starts at draws of the posterior.

A chain has arrived at the end of warmup if the mean log density of its first ten kept draws lies
between the lowest and the highest of all draws of a run whose chains started well. Both runs have
the same warmup and the same number of draws.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
from bench import report
from bench.practice import MODELS
from nuts.adaptation.pooling import arrived
from nuts.errors import SamplingWarning
from nuts.results.draws import named_draws
from nuts.results.mixing import split_r_hat

FIRST = 10
"""The draws behind warmup that tell where a chain is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench arrivals`."""
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--chains", type=int, nargs="+", default=[100])
    parser.add_argument("--draws", type=int, default=200, help="kept draws per chain")
    parser.add_argument("--warmup", type=int, default=500, help="draws of warmup")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Sample each model with each number of chains; print a row as soon as it is there."""
    rows = []
    for model in options.models:
        for chains in options.chains:
            rows.append(_row(model, chains, options))
            print(report.table(rows[-1:]), flush=True)
    return rows


def _row(model: str, chains: int, options: argparse.Namespace) -> dict[str, Any]:
    target, init = MODELS[model]()
    how = {
        "num_chains": chains,
        "num_draws": options.draws,
        "num_warmup": options.warmup,
        "progress": False,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamplingWarning)
        fit = nuts.sample(target, init, seed=options.seed, **how)
        well = nuts.sample(target, drawn(fit, chains), seed=options.seed + 1, **how)
    gradients, theirs = (float(x.stats.num_leapfrogs.mean()) for x in (fit, well))
    return {
        "model": model,
        "chains": chains,
        "arrived": float(has_arrived(fit, well).mean()),
        "gradients/draw": gradients,
        "started well": theirs,
        "ratio": gradients / theirs,
        "divergences/draw": float(fit.stats.diverging.mean()),
        "started well, div.": float(well.stats.diverging.mean()),
        "R-hat": max(split_r_hat(named_draws(fit.draws)).values()),
        "started well, R-hat": max(split_r_hat(named_draws(well.draws)).values()),
        "warmup s": fit.timing.warmup,
        "sampling s": fit.timing.sampling,
    }


def drawn(fit: nuts.Fit, number: int) -> dict[str, tf.Tensor]:
    """Draw positions from the draws of the chains that are not far below the others.

    Args:
      fit: whose draws are unconstrained positions.
      number: how many positions.

    Returns:
      A structure of float[number, ...].
    """
    chains = np.flatnonzero(arrived(fit.stats.lp))
    random = np.random.RandomState(0)
    pairs = random.choice(chains, number), random.randint(fit.num_draws, size=number)
    return tf.nest.map_structure(lambda leaf: tf.constant(leaf[pairs]), fit.draws)


def has_arrived(fit: nuts.Fit, well: nuts.Fit) -> np.ndarray:
    """Which chains of a fit are where those of another are: bool[chains]."""
    first = fit.stats.lp[:, :FIRST].mean(1)
    return (first >= well.stats.lp.min()) & (first <= well.stats.lp.max())
