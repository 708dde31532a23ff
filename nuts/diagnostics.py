"""Have the chains found the posterior, and how well do the draws describe it?

Effective sample sizes and R-hat are ArviZ's: rank-normalized and split, as in Vehtari, Gelman,
Simpson, Carpenter and Buerkner 2021.
"""

from __future__ import annotations

import math
import warnings as warnings_module
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nuts.fit import named_draws, scalar_names
from nuts.reference import Known, Reference

with warnings_module.catch_warnings():
    # Every import announces a refactoring of ArviZ's interface; setup.cfg bounds its version.
    warnings_module.simplefilter("ignore", FutureWarning)
    import arviz

if TYPE_CHECKING:
    from nuts.fit import Fit


class Row(NamedTuple):
    """One line of the summary.

    Attributes:
      name: of the number that is summarized.
      mean, sd: over all draws of all chains.
      q5, q50, q95: quantiles.
      ess_bulk, ess_tail: effective sample sizes in the bulk and in the tails.
      r_hat: near 1 where chains agree.
      mcse_mean, mcse_sd: Monte Carlo standard errors of mean and sd.
      known: the reference, if there is one.
    """

    name: str
    mean: float
    sd: float
    q5: float
    q50: float
    q95: float
    ess_bulk: float
    ess_tail: float
    r_hat: float
    mcse_mean: float
    mcse_sd: float
    known: Known | None

    @property
    def z_mean(self) -> float | None:
        """The difference of the mean from the reference, in standard errors of the difference."""
        if self.known is None:
            return None
        return (self.mean - self.known.mean) / np.hypot(self.mcse_mean, self.known.mcse_mean)

    @property
    def z_sd(self) -> float | None:
        """The difference of the sd from the reference, in standard errors of the difference."""
        if self.known is None:
            return None
        return (self.sd - self.known.sd) / np.hypot(self.mcse_sd, self.known.mcse_sd)


class Summary(tuple[Row, ...]):
    """Rows, one per number of the draws; `str` makes a table of them."""

    def __str__(self) -> str:
        compared = any(row.known is not None for row in self)
        head = ["", "mean", "sd", "5%", "50%", "95%", "ESS", "tail ESS", "R-hat"]
        table = [[*head, "ref mean", "diff/se"] if compared else head]
        for row in self:
            cells = [row.name, *(_short(x) for x in row[1:6])]
            cells += [f"{row.ess_bulk:.0f}", f"{row.ess_tail:.0f}", f"{row.r_hat:.3f}"]
            if compared:
                known = row.known
                cells += ["", ""] if known is None else [_short(known.mean), f"{row.z_mean:.1f}"]
            table.append(cells)
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join(
            "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])])
            for cells in table
        )


def _short(number: float) -> str:
    return f"{number:.4g}" if abs(number) < 1e5 else f"{number:.2e}"


def summarize(draws: Mapping[str, np.ndarray], reference: Reference | None = None) -> Summary:
    """Summarize each number.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
      reference: what is known, by names such as "theta[3]".

    Returns:
      The `Summary`. Diagnostics that need four draws, or two chains, are NaN below that.
    """
    rows = []
    for name, leaf in draws.items():
        columns = leaf.reshape(*leaf.shape[:2], math.prod(leaf.shape[2:]))
        for i, scalar in enumerate(scalar_names(name, leaf.shape[2:])):
            rows.append(_row(scalar, columns[:, :, i], (reference or {}).get(scalar)))
    return Summary(rows)


def _row(name: str, draws: np.ndarray, known: Known | None) -> Row:
    """Summarize one number, float[num_chains, num_draws]."""
    x = draws.astype(np.float64)
    q5, q50, q95 = np.quantile(x, [0.05, 0.5, 0.95]) if x.size else [np.nan] * 3
    enough = x.shape[1] >= 4
    diagnose = (lambda f, **how: float(f(x, **how))) if enough else (lambda f, **how: np.nan)
    return Row(
        name,
        x.mean() if x.size else np.nan,
        x.std(ddof=1) if x.size > 1 else np.nan,
        q5,
        q50,
        q95,
        ess_bulk=diagnose(arviz.ess, method="bulk"),
        ess_tail=diagnose(arviz.ess, method="tail"),
        r_hat=diagnose(arviz.rhat, method="rank") if len(x) > 1 else np.nan,
        mcse_mean=diagnose(arviz.mcse, method="mean"),
        mcse_sd=diagnose(arviz.mcse, method="sd"),
        known=known,
    )


def energy_fraction(energy: np.ndarray) -> float:
    """The energy's Bayesian fraction of missing information (E-BFMI), pooled over chains.

    Small where momentum draws move the energy little beside how widely it is spread: then chains
    explore slowly. Source: Betancourt 2016, "Diagnosing suboptimal cotangent disintegrations".
    Departure: numerator and denominator are summed over chains, as a short chain alone says little.
    """
    changes = np.square(np.diff(energy, axis=1)).sum()
    return float(changes / np.square(energy - energy.mean()).sum())


def warnings(fit: Fit) -> list[str]:
    """Say what may be wrong with a fit and what to do about it.

    Thresholds are Stan's: no divergence, no draw at the largest tree depth, E-BFMI at least 0.3,
    R-hat at most 1.01 (see `r_hat_limit`), ESS at least 400 in bulk and tails.
    """
    found = []
    stats = fit.stats
    total = stats.lp.size
    divergences = int(stats.diverging.sum())
    if divergences:
        found.append(
            f"{divergences} of {total} draws ({divergences / total:.2%}) diverged: the draws may "
            "miss a sharply bent part of the posterior. Raise target_accept (0.95, 0.99) or "
            "reparameterize, for instance non-centred."
        )
    saturated = int((stats.tree_depth >= fit.max_tree_depth).sum())
    if saturated:
        found.append(
            f"{saturated} of {total} draws ({saturated / total:.2%}) reached the largest tree "
            f"depth, {fit.max_tree_depth}: right but slow. Raise max_tree_depth, or reparameterize "
            'so that scales are even, or try metric="dense".'
        )
    if fit.num_draws >= 4:
        fraction = energy_fraction(stats.energy)
        if fraction < 0.3:
            found.append(
                f"E-BFMI is {fraction:.2f}, below 0.3: the energy changes too little from draw to "
                "draw, as it does where tails are heavy. Reparameterize."
            )
        found += _convergence_warnings(fit.summary(), r_hat_limit(fit.num_draws))
    return found


def r_hat_limit(num_draws: int) -> float:
    """The largest R-hat that gives no reason to doubt chains of this length.

    R-hat asks whether each half chain alone describes the posterior. Where chains agree and their
    draws have autocorrelation time t, it is about 1 + (t - 1) / num_draws. Stan's 1.01 is for long
    chains; many short ones need not do alone what they do together, and are allowed t = 5.
    """
    return max(1.01, 1.0 + 4.0 / num_draws)


def _convergence_warnings(summary: Summary, r_hat_limit: float) -> list[str]:
    found = []
    # A number that never changes has no R-hat, so that "not above" is not "at most".
    apart = [row.name for row in summary if row.r_hat > r_hat_limit]
    if apart:
        found.append(
            f"R-hat is above {r_hat_limit:.2f} for {_some(apart)}: the chains disagree. Lengthen "
            "warmup, and look whether there are several modes."
        )
    few = [row.name for row in summary if min(row.ess_bulk, row.ess_tail) < 400]
    if few:
        found.append(
            f"fewer than 400 effective draws for {_some(few)}: means and quantiles are rough. "
            "Draw more."
        )
    return found


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def to_arviz(fit: Fit) -> Any:
    """Make an ArviZ `InferenceData` with the groups posterior and sample_stats."""
    stats = fit.stats
    return arviz.from_dict(
        posterior=named_draws(fit.draws),
        sample_stats={
            "lp": stats.lp,
            "acceptance_rate": stats.accept_prob,
            "step_size": stats.step_size,
            "tree_depth": stats.tree_depth,
            "n_steps": stats.num_leapfrogs,
            "energy": stats.energy,
            "diverging": stats.diverging,
        },
    )
