"""Effective draws per gradient against Stan: same model and coordinates, metric and acceptance.

Every chain adapts alone, as in Stan. ESS is ArviZ's in the bulk, of each reported number; gradients
are those of the draws after warmup. The efficiency of a group of four chains is the geometric mean
over the numbers; the ratio is that of geometric means over groups, and its standard error comes
from the scatter of the groups.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

import nuts
from bench import report
from bench.stan_programs import draws_by_name, stan_model
from nuts.models import MODELS
from nuts.results.draws import named_draws, scalar_names

NAMES = (
    "breast_cancer",
    "diabetes",
    "eight_schools",
    "ill_conditioned_normal",
    "brownian_motion",
)

GROUP = 4
"""Chains of a group."""


class Sampled(NamedTuple):
    """What a sampler did.

    Attributes:
      draws: float64[chains, draws] by scalar name.
      leapfrogs: int[chains, draws].
      step_size: the mean over chains.
      accept_prob: the mean over draws.
      divergences: how many.
    """

    draws: dict[str, np.ndarray]
    leapfrogs: np.ndarray
    step_size: float
    accept_prob: float
    divergences: int

    def groups(self) -> list[Sampled]:
        """The chains four by four."""
        parts = [slice(i, i + GROUP) for i in range(0, len(self.leapfrogs), GROUP)]
        return [
            self._replace(
                draws={name: x[part] for name, x in self.draws.items()},
                leapfrogs=self.leapfrogs[part],
            )
            for part in parts
        ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench ess`."""
    parser.add_argument("--models", nargs="+", default=list(NAMES), choices=NAMES)
    parser.add_argument("--chains", type=int, default=32, help="chains of both samplers, in fours")
    parser.add_argument("--draws", type=int, default=1000, help="draws per chain after warmup")
    parser.add_argument("--warmup", type=int, default=1000, help="draws of warmup")
    parser.add_argument("--target-accept", type=float, default=0.8)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Sample all models with both and print a line for each as it comes."""
    if options.chains < 2 * GROUP or options.chains % GROUP:
        raise SystemExit(f"--chains must be a multiple of {GROUP}, at least {2 * GROUP}")
    rows = []
    for name in options.models:
        ours, stans = sample_ours(name, options), sample_stan(name, options)
        logs = [np.log([efficiency(group) for group in x.groups()]) for x in (ours, stans)]
        mean, error = [x.mean() for x in logs], [x.std(ddof=1) / np.sqrt(len(x)) for x in logs]
        ratio = float(np.exp(mean[0] - mean[1]))
        rows.append(
            {
                "model": name,
                "ours: ESS/1000 gradients": float(1000 * np.exp(mean[0])),
                "Stan": float(1000 * np.exp(mean[1])),
                "ratio": ratio,
                "+-": ratio * float(np.hypot(*error)),
                "gradients/draw": float(ours.leapfrogs.mean()),
                "Stan's": float(stans.leapfrogs.mean()),
                "step size": ours.step_size,
                "Stan's step": stans.step_size,
                "acceptance": ours.accept_prob,
                "Stan's acc.": stans.accept_prob,
                "divergences": ours.divergences,
                "Stan's div.": stans.divergences,
            }
        )
        print(report.table(rows[-1:]), flush=True)
    return rows


def efficiency(sampled: Sampled) -> float:
    """Bulk ESS per gradient, the geometric mean over the numbers."""
    import arviz

    ess = [float(arviz.ess(x, method="bulk")) for x in sampled.draws.values()]
    return float(np.exp(np.mean(np.log(ess))) / sampled.leapfrogs.sum())


def sample_ours(name: str, options: argparse.Namespace) -> Sampled:
    """Sample a bundled model with a step size and a metric for each chain."""
    model = MODELS[name]
    target, init = model.problem()
    fit = nuts.sample(
        target,
        init,
        num_chains=options.chains,
        num_draws=options.draws,
        num_warmup=options.warmup,
        target_accept=options.target_accept,
        pool="none",
        progress=False,
    )
    draws = {}
    for leaf_name, leaf in named_draws(model.reported(fit).draws).items():
        columns = leaf.reshape(*leaf.shape[:2], -1).astype(np.float64)
        names = scalar_names(leaf_name, leaf.shape[2:])
        draws |= {scalar: columns[:, :, i] for i, scalar in enumerate(names)}
    stats = fit.stats
    return Sampled(
        draws,
        stats.num_leapfrogs,
        float(stats.step_size.mean()),
        float(stats.accept_prob.mean()),
        int(stats.diverging.sum()),
    )


def sample_stan(name: str, options: argparse.Namespace) -> Sampled:
    """Sample the same model with pystan."""
    import stan

    model = stan_model(name)
    built = stan.build(model.source, data=model.data, random_seed=1)
    fit = built.sample(
        num_chains=options.chains,
        num_samples=options.draws,
        num_warmup=options.warmup,
        delta=options.target_accept,
    )
    statistics = {
        key: np.asarray(fit[key]).reshape(-1, options.chains).T
        for key in ("n_leapfrog__", "stepsize__", "accept_stat__", "divergent__")
    }
    return Sampled(
        draws_by_name(fit, model, options.chains),
        statistics["n_leapfrog__"],
        float(statistics["stepsize__"].mean()),
        float(statistics["accept_stat__"].mean()),
        int(statistics["divergent__"].sum()),
    )
