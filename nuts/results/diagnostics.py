"""Have the chains found the posterior, and how well do the draws describe it?

Effective sample sizes and R-hat are ArviZ's: rank-normalized and split, as in Vehtari, Gelman,
Simpson, Carpenter and Buerkner 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from nuts.results import arviz_versions as arviz
from nuts.results.axes import NO_NAMES, Axes
from nuts.results.choice import Name, chosen, names_of
from nuts.results.draws import Draws, named_draws
from nuts.results.mixing import nested_r_hat, numbers
from nuts.results.reference import Known, Reference
from nuts.results.summary import Row, Shown, Summary


def summary_of(
    fit: Draws, reference: Reference | None = None, variables: Sequence[str] | None = None
) -> Summary:
    """Summarize each number of the draws of a run; see `summarize`."""
    return summarize(named_draws(fit.draws), reference, fit.num_superchains, variables, fit.axes)


def summarize(
    draws: Mapping[str, np.ndarray],
    reference: Reference | None = None,
    num_superchains: int | None = None,
    variables: Sequence[str] | None = None,
    axes: Axes = NO_NAMES,
) -> Summary:
    """Summarize each number.

    Args:
      draws: float[num_chains, num_draws, ...] by name.
      reference: what is known, by names such as "theta[3]".
      num_superchains: how many groups of consecutive chains started at one point each.
      variables: which to summarize, by names such as "theta" and "theta[3]"; None: all.
      axes: what the axes of the draws are called.

    Returns:
      The `Summary`. Diagnostics that need four draws, or two chains, are NaN below that, and so are
      those of a number that is the same in all draws, as the zeros of a Cholesky factor are.
    """
    names = names_of({name: leaf.shape[2:] for name, leaf in draws.items()}, axes)
    of_all = list(numbers(draws, axes))
    rows = []
    for i in chosen(names, variables):
        name, x = of_all[i]
        rows.append(_row(names[i], x, (reference or {}).get(name), num_superchains))
    return Summary(rows) if variables is None else Shown(rows)


def _row(
    name: Name, draws: np.ndarray, known: Known | None, num_superchains: int | None = None
) -> Row:
    """Summarize one number, float[num_chains, num_draws]."""
    x = draws.astype(np.float64, order="C")  # so that sums of a store are those of memory
    q5, q50, q95 = np.quantile(x, [0.05, 0.5, 0.95]) if x.size else [np.nan] * 3

    varies = x.size > 0 and bool((x != x.flat[0]).any())

    def diagnose(statistic: Callable[[np.ndarray, str], float], method: str) -> float:
        if x.shape[1] < 4 or not varies:
            return np.nan
        with np.errstate(divide="ignore", invalid="ignore"):  # each chain may have one value
            return statistic(x, method)

    return Row(
        name.number,
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
        variable=name.variable,
    )
