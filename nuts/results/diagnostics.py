"""Have the chains found the posterior, and how well do the draws describe it?

Effective sample sizes and R-hat are ArviZ's: rank-normalized and split, as in Vehtari, Gelman,
Simpson, Carpenter and Buerkner 2021.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from nuts.results import arviz_versions as arviz
from nuts.results.draws import Draws, named_draws
from nuts.results.mixing import nested_r_hat, numbers
from nuts.results.reference import Known, Reference
from nuts.results.table import aligned


class Row(NamedTuple):
    """One line of the summary.

    Attributes:
      name: of the number that is summarized.
      mean, sd: over all draws of all chains.
      q5, q50, q95: quantiles.
      ess_bulk, ess_tail: effective sample sizes in the bulk and in the tails.
      r_hat: near 1 where chains agree.
      nested_r_hat: near 1 where superchains agree; NaN where there are none.
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
    nested_r_hat: float
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
    """Rows, one per number of the draws, which print as a table."""

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        compared = any(row.known is not None for row in self)
        nested = any(not math.isnan(row.nested_r_hat) for row in self)
        head = ["", "mean", "sd", "5%", "50%", "95%", "ESS", "tail ESS", "R-hat"]
        head += ["nested"] if nested else []
        table = [[*head, "ref mean", "diff/se"] if compared else head]
        for row in self:
            cells = [row.name, *(_short(x) for x in row[1:6])]
            cells += [_known(row.ess_bulk, 0), _known(row.ess_tail, 0), _known(row.r_hat, 3)]
            if nested:
                cells.append(_known(row.nested_r_hat, 3))
            if compared:
                known = row.known
                cells += ["", ""] if known is None else [_short(known.mean), f"{row.z_mean:.1f}"]
            table.append(cells)
        return aligned(table)


def _known(number: float, digits: int) -> str:
    """A diagnostic in the table; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.{digits}f}"


def _short(number: float) -> str:
    return f"{number:.4g}" if abs(number) < 1e5 else f"{number:.2e}"


def summary_of(fit: Draws, reference: Reference | None = None) -> Summary:
    """Summarize each number of the draws of a run; see `summarize`."""
    return summarize(named_draws(fit.draws), reference, fit.num_superchains)


def summarize(
    draws: Mapping[str, np.ndarray],
    reference: Reference | None = None,
    num_superchains: int | None = None,
) -> Summary:
    """Summarize each number.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
      reference: what is known, by names such as "theta[3]".
      num_superchains: how many groups of consecutive chains started at one point each.

    Returns:
      The `Summary`. Diagnostics that need four draws, or two chains, are NaN below that, and so are
      those of a number that is the same in all draws, as the zeros of a Cholesky factor are.
    """
    rows = []
    for name, x in numbers(draws):
        rows.append(_row(name, x, (reference or {}).get(name), num_superchains))
    return Summary(rows)


def _row(
    name: str, draws: np.ndarray, known: Known | None, num_superchains: int | None = None
) -> Row:
    """Summarize one number, float[num_chains, num_draws]."""
    x = draws.astype(np.float64)
    q5, q50, q95 = np.quantile(x, [0.05, 0.5, 0.95]) if x.size else [np.nan] * 3

    varies = x.size > 0 and bool((x != x.flat[0]).any())

    def diagnose(statistic: Callable[[np.ndarray, str], float], method: str) -> float:
        if x.shape[1] < 4 or not varies:
            return np.nan
        with np.errstate(divide="ignore", invalid="ignore"):  # each chain may have one value
            return statistic(x, method)

    return Row(
        name,
        x.mean() if x.size else np.nan,
        x.std(ddof=1) if x.size > 1 else np.nan,
        q5,
        q50,
        q95,
        ess_bulk=diagnose(arviz.ess, method="bulk"),
        ess_tail=diagnose(arviz.ess, method="tail"),
        r_hat=diagnose(arviz.r_hat, method="rank") if len(x) > 1 else np.nan,
        nested_r_hat=nested_r_hat(x, num_superchains) if num_superchains else np.nan,
        mcse_mean=diagnose(arviz.mcse, method="mean"),
        mcse_sd=diagnose(arviz.mcse, method="sd"),
        known=known,
    )
