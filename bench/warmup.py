"""What pooled adaptation gains: warmup gradients against the error of step size and metric.

For each length of warmup, chains that share their adaptation and chains that adapt alone make
their warmup from random starts. Errors are root mean squares of log ratios, over chains and
dimensions: of the step size to that of a long pooled warmup, of the metric's standard deviations to
the posterior's known ones. 0.1 is about ten percent.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

from bench import report
from nuts.adaptation.ensemble import Ensemble, chain_keys
from nuts.adaptation.learned import Adaptation, Learned, first_guess
from nuts.adaptation.warmup import warm_up
from nuts.models import MODELS
from nuts.run.initialization import random_start
from nuts.run.target import Problem, Space, from_function
from nuts.sampler.chain import Record
from nuts.sampler.tuning import Settings, Tuning

LONG = 1000


class Case(NamedTuple):
    """A posterior with independent knowledge of its scales.

    Attributes:
      problem: what to sample.
      sd: float64[D], the posterior standard deviations of the unconstrained position.
    """

    problem: Problem
    sd: np.ndarray


class CountingEnsemble(Ensemble):
    """Chains that count their gradients."""

    gradients = 0

    def peek(self, tuning: Tuning) -> Record:
        return self._counted(super().peek(tuning))

    def advance(self, tuning: Tuning, num_draws: int, thin: int = 1) -> Record:
        return self._counted(super().advance(tuning, num_draws, thin))

    def _counted(self, record: Record) -> Record:
        self.gradients += int(record.num_leapfrogs.sum())
        return record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench warmup`."""
    parser.add_argument(
        "--models",
        nargs="+",
        default=["ill_conditioned_normal", "breast_cancer"],
        choices=["ill_conditioned_normal", "breast_cancer", "banana"],
    )
    parser.add_argument("--chains", type=int, default=100, help="chains of a run")
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=[50, 100, 200, 400], help="draws of warmup"
    )


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Make all warmups and print a line for each as it comes."""
    rows = []
    for name in options.models:
        case = load(name)
        exact, _ = warmup(case, options.chains, LONG, pooled=True)
        for pooled in (True, False):
            for length in options.lengths:
                learned, gradients = warmup(case, options.chains, length, pooled)
                rows.append(
                    {
                        "model": name,
                        "adaptation": "pooled" if pooled else "per chain",
                        "warmup draws": length,
                        "gradients per chain": round(gradients / options.chains),
                        "step size error": rms_log_ratio(learned.step_size, exact.step_size),
                        "metric error": rms_log_ratio(np.sqrt(learned.inverse_mass), case.sd),
                    }
                )
                print(report.table(rows[-1:]), flush=True)
    return rows


def load(name: str) -> Case:
    """A bundled model whose position is what its reference speaks of."""
    model = MODELS[name]
    target, init = model.problem()
    known = model.reference()
    return Case(
        from_function(target, Space(init)), np.array([value.sd for value in known.values()])
    )


def warmup(case: Case, chains: int, length: int, pooled: bool) -> tuple[Learned, int]:
    """Make one warmup; return what it learned, and its gradients over all chains."""
    start_keys, draw_keys = chain_keys(0, chains)
    point = random_start(case.problem, start_keys, case.problem.space.dtype)
    settings = Settings(case.problem.log_density)
    ensemble = CountingEnsemble(settings, 10, point, draw_keys, {})
    how = Adaptation(target_accept=0.8, metric="diag", pooled=pooled, max_tree_depth=10)
    guess = first_guess(how, chains, case.problem.space.dim)
    learned = warm_up(ensemble, how, length, guess, True, lambda *_: None)
    return learned, ensemble.gradients


def rms_log_ratio(seen: np.ndarray, exact: np.ndarray) -> float:
    """The root mean square of log(seen / exact)."""
    return float(np.sqrt(np.mean(np.square(np.log(seen) - np.log(exact)))))
