"""What may be wrong with a run and what to do about it, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from nuts.results.draws import Draws, named_draws
from nuts.results.mixing import (
    energy_fraction,
    nested_r_hat,
    numbers,
    split_r_hat,
    stuck_chains,
)

if TYPE_CHECKING:
    from nuts.results.summary import Summary


def warnings(fit: Draws, summary: Summary | None = None) -> list[str]:
    """Say what may be wrong with a fit and what to do about it.

    Thresholds are Stan's: no divergence, no draw at the largest tree depth, E-BFMI at least 0.3,
    R-hat at most 1.01 (see `r_hat_limit`), ESS at least 400 in bulk and tails.

    Args:
      fit: the run.
      summary: its summary, where that has been made already.
    """
    found = _of_sampler(fit)
    if fit.num_draws < 4:
        return found
    if summary is None:
        from nuts.results.diagnostics import summary_of  # ArviZ takes seconds to import

        summary = summary_of(fit)
    r_hats = {row.name: row.r_hat for row in summary}
    nested = {row.name: row.nested_r_hat for row in summary}
    found += of_r_hats(fit, r_hats if fit.num_superchains is None else nested)
    few = [row.name for row in summary if min(row.ess_bulk, row.ess_tail) < 400]
    if few:
        found.append(
            f"fewer than 400 effective draws for {_some(few)}: means and quantiles are rough. "
            "Draw more."
        )
    return found


def quick_warnings(fit: Draws) -> list[str]:
    """As `warnings`, in a small part of the time: R-hat not rank-normalized, and no ESS."""
    found = _of_sampler(fit)
    if fit.num_draws < 4:
        return found
    draws = named_draws(fit.draws)
    if fit.num_superchains is None:
        return found + of_r_hats(fit, split_r_hat(draws, fit.axes))
    groups = fit.num_superchains
    nested = {name: nested_r_hat(x, groups) for name, x in numbers(draws, fit.axes)}
    return found + of_r_hats(fit, nested)


def _of_sampler(fit: Draws) -> list[str]:
    made = fit.stats.lp.size * fit.thin
    found = sampler_warnings(made, fit.divergences, fit.saturated, fit.max_tree_depth)
    found += moved_warnings(fit.learned.moved, fit.num_chains)
    if fit.num_draws >= 4:
        found += stuck_warnings(stuck_chains(named_draws(fit.draws)), fit.num_chains)
        change = fit.repeats.energy_change if fit.thin > 1 else None
        found += energy_warnings(energy_fraction(fit.stats.energy, change))
    return found


def of_r_hats(fit: Draws, r_hats: Mapping[str, float]) -> list[str]:
    """Say for which numbers of a fit R-hat is too large; nested, where there are superchains."""
    if fit.num_superchains is None:
        return r_hat_warnings(r_hats, r_hat_limit(fit.num_draws))
    limit = nested_r_hat_limit(fit.num_chains, fit.num_superchains)
    return r_hat_warnings(r_hats, limit, "nested R-hat")


def sampler_warnings(
    total: int, divergences: int, saturated: int, max_tree_depth: int
) -> list[str]:
    """Say how many draws, kept or not, diverged or reached the largest tree depth."""
    found = []
    if divergences:
        found.append(
            f"{divergences} of {total} draws ({divergences / total:.2%}) diverged: the draws may "
            "miss a sharply bent part of the posterior. Raise target_accept (0.95, 0.99) or "
            "reparameterize, for instance non-centred."
        )
    if saturated:
        found.append(
            f"{saturated} of {total} draws ({saturated / total:.2%}) reached the largest tree "
            f"depth, {max_tree_depth}. Where R-hat is low they are right but slow: raise "
            "max_tree_depth, or reparameterize so that scales are even, or try "
            'metric="dense". Where it is high, look for a parameter that has no prior, or that '
            "the log density does not use: nothing holds its chains."
        )
    return found


def stuck_warnings(stuck: int, num_chains: int) -> list[str]:
    """Say how many chains never moved."""
    if not stuck:
        return []
    return [
        f"{stuck} of {num_chains} chains never moved: all draws of each are one point, which says "
        "nothing about the posterior. Their trajectories are rejected. Lower step_size or lengthen "
        "warmup; or start elsewhere, by init."
    ]


def moved_warnings(moved: np.ndarray, num_chains: int) -> list[str]:
    """Say which chains went on from the place of another chain during warmup: int[n]."""
    if not moved.size:
        return []
    return [
        f"{moved.size} of {num_chains} chains (the first is chain {moved[0]}) were stranded in "
        "warmup: they stood far from the others in log density, and hardly moved or had not come "
        "near in time. They went on from the places of others. Lengthen warmup; look whether the "
        "log density is wrong by rounding, infinite "
        "or not continuous somewhere; or start elsewhere, by init."
    ]


def energy_warnings(fraction: float) -> list[str]:
    """Say whether the E-BFMI is low."""
    if not fraction < 0.3:
        return []
    return [
        f"E-BFMI is {fraction:.2f}, below 0.3: the energy changes too little from draw to "
        "draw, as it does where tails are heavy. Reparameterize."
    ]


def r_hat_warnings(r_hats: Mapping[str, float], limit: float, kind: str = "R-hat") -> list[str]:
    """Say for which numbers R-hat is above the limit."""
    # A number that never changes has no R-hat, so that "not above" is not "at most".
    apart = {name: r_hat for name, r_hat in r_hats.items() if r_hat > limit}
    if not apart:
        return []
    worst = sorted(apart, key=apart.__getitem__, reverse=True)
    largest = apart[worst[0]]
    return [
        f"{kind} is above {limit:.3g}, at most {largest:.3g}, for {_some(worst)}: the chains "
        "disagree, or each is short for how slowly it moves. Lengthen warmup, draw more, and look "
        "whether there are several modes."
    ]


def r_hat_limit(num_draws: int) -> float:
    """The largest R-hat that gives no reason to doubt chains of this length.

    R-hat asks whether each half chain alone describes the posterior. Where chains agree and their
    draws have autocorrelation time t, it is about 1 + (t - 1) / num_draws. Stan's 1.01 is for long
    chains; many short ones need not do alone what they do together, and are allowed t = 5.
    """
    return max(1.01, 1.0 + 4.0 / num_draws)


def nested_r_hat_limit(num_chains: int, num_superchains: int) -> float:
    """The largest nested R-hat that gives no reason to doubt.

    Where the M chains of a superchain have one effective draw each, their mean varies by 1 / M of
    the posterior variance, and nested R-hat is about sqrt(1 + 1 / M). Twice that variance is
    allowed for, because few superchains estimate it roughly.
    """
    return max(1.01, math.sqrt(1.0 + 2.0 * num_superchains / num_chains))


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
