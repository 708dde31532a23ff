"""Make the references of bundled models with Stan, an implementation that shares nothing with ours.

Samples a posterior with pystan (extra `peers`) and writes means, standard deviations and quantiles,
with their Monte Carlo errors, to `nuts/models/MODEL.json`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from typing import Any

import numpy as np

from bench.stan_programs import draws_by_name, stan_model

FOLDER = pathlib.Path(__file__).parent.parent / "nuts" / "models"
MODELS = ("breast_cancer", "lotka_volterra", "stochastic_volatility")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench references`."""
    parser.add_argument("model", choices=MODELS, help="the bundled model")
    parser.add_argument("--chains", type=int, default=4, help="chains of Stan")
    parser.add_argument("--draws", type=int, default=5000, help="draws per chain after warmup")
    parser.add_argument("--delta", type=float, default=0.99, help="Stan's target acceptance")
    parser.add_argument("--seed", type=int, default=1, help="of Stan's random numbers")
    parser.add_argument("--to", type=pathlib.Path, default=FOLDER, help="folder of the file")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Sample with Stan, write the file, and report the numbers."""
    import stan

    model = stan_model(options.model)
    built = stan.build(model.source, data=model.data, random_seed=options.seed)
    fit = built.sample(
        num_chains=options.chains,
        num_samples=options.draws,
        num_warmup=1000,
        delta=options.delta,
        **({} if model.init is None else {"init": [model.init] * options.chains}),
    )
    draws = draws_by_name(fit, model, options.chains)
    divergences = int(fit["divergent__"].sum())
    params = {name: known(values) for name, values in draws.items()}
    content = {
        "about": f"Posterior of nuts/models/{options.model}.py by `python -m bench references "
        f"{options.model}`: Stan, {options.chains} chains of {options.draws} draws after 1000 of "
        f"warmup, delta {options.delta}, seed {options.seed}, {divergences} divergences.",
        "software": f"pystan {stan.__version__}",
        "params": params,
    }
    (options.to / f"{options.model}.json").write_text(json.dumps(content, indent=1) + "\n")
    return [{"parameter": name, **values} for name, values in params.items()]


def known(draws: np.ndarray) -> dict[str, float]:
    """Moments and quantiles with what tells their Monte Carlo errors: float64[chains, draws]."""
    from nuts.results import arviz_versions as arviz

    q5, q50, q95 = np.quantile(draws, [0.05, 0.5, 0.95])
    exact = {
        "mean": draws.mean(),
        "sd": draws.std(ddof=1),
        "mcse_mean": arviz.mcse(draws, "mean"),
        "mcse_sd": arviz.mcse(draws, "sd"),
        "q5": q5,
        "q50": q50,
        "q95": q95,
        "ess_bulk": arviz.ess(draws, "bulk"),
        "ess_tail": arviz.ess(draws, "tail"),
    }
    return {name: float(f"{value:.8g}") for name, value in exact.items()}
