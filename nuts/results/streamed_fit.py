"""What `nuts.sample(reducers=...)` returns: statistics of draws that were not kept."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results import warnings
from nuts.results.axes import NO_NAMES, Axes
from nuts.results.choice import MOST_ROWS, chosen, more_of, names_of, shortened
from nuts.results.draws import Ending, Timing, named_draws, scalar_names
from nuts.results.pickles import Pickled
from nuts.results.table import aligned
from nuts.structure import Structure


class Totals(NamedTuple):
    """Statistics of the sampler over all draws of all chains.

    Attributes:
      num_draws: how many draws were made, those included that `thin` leaves out.
      accept_prob: the mean acceptance probability.
      num_leapfrogs: the mean number of gradients a draw.
      divergences: how many draws diverged.
      saturated: how many draws reached the largest tree depth.
      energy_fraction: E-BFMI, see `nuts.results.mixing.energy_fraction`.
      stuck: how many chains never moved.
    """

    num_draws: int
    accept_prob: float
    num_leapfrogs: float
    divergences: int
    saturated: int
    energy_fraction: float
    stuck: int = 0


@dataclasses.dataclass(frozen=True, repr=False)
class StreamedFit(Pickled):
    """The outcome of a run that kept statistics and no draws.

    Attributes:
      reduced: what the reducers made of the draws, by their names: in the structure of a draw, but
        for a covariance, which is a matrix over all numbers of a draw in `tf.nest` order.
      columns: those statistics that are one number for each number of a draw, by the head of their
        column in the summary.
      totals: `Totals`, how the sampler did.
      num_chains, num_draws: how many chains there were, and how many draws each kept.
      learned: the step size and the inverse mass that the draws were made with.
      max_tree_depth: the limit that the draws were made with.
      timing: how long it took.
      blocks: how the blocks of the compiled program were used.
      state_bytes: the memory that the statistics took at the end.
      end: `Ending`, where the chains stand; None where that is not known.
    """

    reduced: dict[str, Structure]
    columns: dict[str, Structure]
    totals: Totals
    num_chains: int
    num_draws: int
    learned: Learned
    max_tree_depth: int
    timing: Timing
    blocks: tuple[BlockUse, ...]
    state_bytes: int
    end: Ending | None = None

    def __repr__(self) -> str:
        return (
            f"<nuts.StreamedFit: {', '.join(self.reduced)} of {self.num_chains} chains x "
            f"{self.num_draws} draws; {self.totals.divergences} divergences>"
        )

    def summary(self, variables: Sequence[str] | None = None) -> str:
        """Show the statistics that are one number for each number of a draw.

        Args:
          variables: which to show, by names such as "theta" and "theta[3]". Without it of variables
            with many numbers the first are shown.

        Returns:
          A table as text: a row for each number, a column for each statistic.

        Raises:
          SamplingError: there is no variable of a name that is asked for.
        """
        columns = {label: named_numbers(values) for label, values in self.columns.items()}
        table = [["", *columns]]
        one = named_draws(next(iter(self.columns.values()), {}))
        names = names_of({name: np.shape(leaf) for name, leaf in one.items()}, NO_NAMES)
        wanted = [names[i] for i in chosen(names, variables)]
        most = MOST_ROWS if variables is None else None
        for variable, group in itertools.groupby(wanted, lambda name: name.variable):
            rows, rest = shortened([name.number for name in group], most)
            table += [[row, *(f"{c[row]:.4g}" for c in columns.values())] for row in rows]
            if rest:
                table.append([more_of(variable, len(rest)), *[""] * len(columns)])
        return aligned(table)

    def warnings(self) -> list[str]:
        """Look for what may be wrong with the run.

        Returns:
          A sentence for each thing that may be wrong, with what to do about it; empty where nothing
          is.
        """
        found = of_totals(
            self.totals, self.learned, self.num_chains, self.num_draws, self.max_tree_depth
        )
        if "r_hat" in self.reduced:
            named = named_numbers(self.reduced["r_hat"])
            found += warnings.r_hat_warnings(named, warnings.r_hat_limit(self.num_draws))
        return found


def of_totals(
    totals: Totals, learned: Learned, num_chains: int, num_draws: int, max_tree_depth: int
) -> list[str]:
    """Say how the sampler did, in a sentence for each thing that may be wrong.

    Args:
      totals: over all draws.
      learned, num_chains, num_draws, max_tree_depth: of the run.
    """
    found = warnings.sampler_warnings(
        totals.num_draws, totals.divergences, totals.saturated, max_tree_depth
    )
    found += warnings.moved_warnings(learned.moved, num_chains)
    if num_draws >= 4:
        found += warnings.stuck_warnings(totals.stuck, num_chains)
    return found + warnings.energy_warnings(totals.energy_fraction)


def named_numbers(structure: Structure, axes: Axes = NO_NAMES) -> dict[str, float]:
    """The numbers of a structure of arrays under the names of the summary: "theta[3]"."""
    found: dict[str, float] = {}
    for name, leaf in named_draws(structure).items():
        values = np.asarray(leaf)
        names = scalar_names(name, values.shape, axes.labels(name))
        found |= dict(zip(names, values.ravel().tolist(), strict=True))
    return found
