"""Sample every reference posterior and compare: `python -m tests.nuts.posteriors.runs`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import nuts
from tests.nuts import posteriors
from tests.nuts.posteriors.agreement import Agreement, compare

LEVEL = 1e-4
"""The false-fail rate of the joint test of one posterior."""

RUNS: Mapping[str, dict[str, Any]] = {
    "arma11": {},
    "banana_2": {"num_draws": 1000, "target_accept": 0.99},
    "breast_cancer_logistic": {},
    "brownian_motion_unknown_scales": {"num_draws": 1000, "target_accept": 0.98},
    "diamonds": {"metric": "dense", "num_warmup": 300},
    "eight_schools": {"target_accept": 0.95},
    "gp_regr": {},
    "hmm_example": {},
    "ill_conditioned_gaussian_100": {"metric": "dense", "num_warmup": 300},
    "kidscore_interaction": {},
    "lotka_volterra": {},
    "low_dim_gauss_mix": {},
    "neals_funnel_10": {},
    "nes2000": {},
    "one_comp_mm_elim_abs": {"num_warmup": 400, "num_draws": 1000, "target_accept": 0.95},
}
"""What differs from `DEFAULTS`."""

DEFAULTS: Mapping[str, Any] = {"num_chains": 100, "num_draws": 200, "num_warmup": 200}


class Outcome(NamedTuple):
    """A run and its comparison.

    Attributes:
      agreement: with the reference.
      num_draws: of all chains.
      mean_leapfrogs: per draw.
      divergences: among the draws.
      seconds: compilation and warmup included.
    """

    agreement: Agreement
    num_draws: int
    mean_leapfrogs: float
    divergences: int
    seconds: float


def run(name: str, seed: int = 0) -> Outcome:
    """Sample one posterior from starts near it, in float64."""
    case = posteriors.load(name)
    settings = {**DEFAULTS, **RUNS[name]}
    began = time.perf_counter()
    fit = nuts.sample(
        case.posterior.log_density,
        case.start(settings["num_chains"]),
        seed=seed,
        progress=False,
        **settings,
    )
    seconds = time.perf_counter() - began
    draws = case.posterior.report(fit.draws)
    return Outcome(
        compare(draws, case.reference["params"], case.quantiles_only),
        fit.stats.lp.size,
        float(fit.stats.num_leapfrogs.mean()),
        int(fit.stats.diverging.sum()),
        seconds,
    )


HEAD = (
    "posterior",
    "draws",
    "leapfrogs a draw",
    "divergences",
    "numbers",
    "largest difference (standard errors)",
    "rms",
    "joint p",
    "detectable",
)


def main(arguments: list[str]) -> None:
    """Print a row of the table in docs/measurements/2026-11-nuts.md for each posterior."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help="a posterior; none: all")
    names = parser.parse_args(arguments).names
    unknown = [name for name in names if name not in RUNS]
    if unknown:
        parser.error(f"no posterior {unknown[0]!r}: there are {', '.join(RUNS)}")
    print(f"| {' | '.join(HEAD)} |")
    print("| --- " * len(HEAD) + "|")
    for name in names or RUNS:
        outcome = run(name)
        agreement = outcome.agreement
        worst = agreement.worst
        print(
            f"| {name} | {outcome.num_draws:,} | {outcome.mean_leapfrogs:.0f} "
            f"| {outcome.divergences} | {len(agreement.differences)} "
            f"| {worst.z:+.1f} ({worst.parameter}, {worst.number}) | {agreement.rms_z:.2f} "
            f"| {agreement.p_value:.2g} | {agreement.detectable(LEVEL):.2f} |",
            flush=True,
        )
        print(f"{name}: {outcome.seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
