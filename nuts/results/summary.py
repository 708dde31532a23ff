"""The summary of a fit: a row for each number of the draws, shown as a table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nuts.results.choice import MOST_ROWS, Name, chosen, more_of, shortened
from nuts.results.reference import Known
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
      variable: the name of the variable that the number is part of.
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
    variable: str

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
    """Rows, one per number of the draws, which print as a table.

    Of a variable with many numbers the table shows the first ones, and how the others do at worst.
    """

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.table(MOST_ROWS)

    def of(self, variables: Sequence[str]) -> Summary:
        """The rows of some variables, by names such as "theta" and "theta[3]"; all are shown.

        Raises:
          SamplingError: there is no variable, or number, of such a name.
        """
        names = [Name(row.name, row.variable) for row in self]
        return Shown(self[i] for i in chosen(names, variables))

    def table(self, most: int | None = None) -> str:
        """The table as text.

        Args:
          most: how many rows of a variable it shows; None: all.
        """
        compared = any(row.known is not None for row in self)
        nested = any(not math.isnan(row.nested_r_hat) for row in self)
        head = ["", "mean", "sd", "5%", "50%", "95%", "ESS", "tail ESS", "R-hat"]
        head += ["nested"] if nested else []
        table = [[*head, "ref mean", "diff/se"] if compared else head]
        for variable, group in itertools.groupby(self, lambda row: row.variable):
            rows, rest = shortened(list(group), most)
            table += [_cells(row, nested, compared) for row in rows]
            if rest:
                table.append(_rest(variable, rest, nested, compared))
        return aligned(table)


class Shown(Summary):
    """A summary whose table shows all of its rows: they were asked for."""

    def __str__(self) -> str:
        return self.table()


def _cells(row: Row, nested: bool, compared: bool) -> list[str]:
    cells = [row.name, *(_short(x) for x in row[1:6])]
    cells += [_known(row.ess_bulk, 0), _known(row.ess_tail, 0), _known(row.r_hat, 3)]
    if nested:
        cells.append(_known(row.nested_r_hat, 3))
    if compared:
        known = row.known
        cells += ["", ""] if known is None else [_short(known.mean), f"{row.z_mean:.1f}"]
    return cells


def _rest(variable: str, rest: list[Row], nested: bool, compared: bool) -> list[str]:
    """The worst of rows that are left out."""
    cells = [more_of(variable, len(rest)), *[""] * 5]
    cells += [_least([row.ess_bulk for row in rest]), _least([row.ess_tail for row in rest])]
    cells.append(_largest([row.r_hat for row in rest], 3))
    if nested:
        cells.append(_largest([row.nested_r_hat for row in rest], 3))
    if compared:
        differences = [abs(row.z_mean) for row in rest if row.z_mean is not None]
        cells += ["", _largest(differences, 1)]
    return cells


def _least(values: list[float]) -> str:
    known = [x for x in values if not math.isnan(x)]
    return f">={min(known):.0f}" if known else "-"


def _largest(values: list[float], digits: int) -> str:
    known = [x for x in values if not math.isnan(x)]
    return f"<={max(known):.{digits}f}" if known else "-"


def _known(number: float, digits: int) -> str:
    """A diagnostic in the table; a dash where there is none."""
    return "-" if math.isnan(number) else f"{number:.{digits}f}"


def _short(number: float) -> str:
    return f"{number:.4g}" if abs(number) < 1e5 else f"{number:.2e}"
