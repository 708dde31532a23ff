"""What `nuts.sample` returns: draws, and what to make of them."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nuts.results import saved, stored, warnings
from nuts.results.axes import Coords, Dims, check_axes
from nuts.results.draws import Draws, named_draws
from nuts.results.extension import extended
from nuts.results.reference import Reference
from nuts.structure import Structure

if TYPE_CHECKING:
    from nuts.results.summary import Summary


@dataclasses.dataclass(frozen=True, repr=False)
class Fit(Draws):
    """The outcome of a run: its `Draws`, with summaries, warnings, pictures and files of them.

    Attributes:
      draws: a structure of float[num_chains, num_draws, ...], in the constrained space.
      stats: `Stats`.
      learned: the step size and the inverse mass that the draws were made with. `nuts.sample`
        takes them as `step_size` and `metric`, and takes over both where its `init` is this fit.
      max_tree_depth: the limit that the draws were made with.
      timing: how long it took.
      blocks: how the blocks of the compiled program were used while the kept draws were made.
      num_superchains: how many groups of consecutive chains started at one point each; None where
        every chain has a start of its own.
      thin: how many draws were made for each that is kept.
      repeats: `Repeats`, what `stats` does not show of the draws that were not kept.
      end: `Ending`, where the chains stand; None where that is not known.
      axes: `Axes`, what the axes of the draws are called, see `named`.
    """

    def named(self, dims: Dims, coords: Coords | None = None) -> Fit:
        """Name the axes of the draws, and label what lies along them.

        Args:
          dims: names of the axes of variables, such as {"theta": ["school"]}.
          coords: labels along such axes, such as {"school": ["A", "B"]}.

        Returns:
          The same fit. Its summary, warnings and pictures say "theta[A]" for "theta[0]", and
          `to_arviz` takes the names over.

        Raises:
          SamplingError: a name is of no variable, or labels are too few, too many, or twice there.
        """
        axes = self.axes.extended(dims, coords)
        draws = named_draws(self.draws)
        check_axes(axes, {name: [leaf.shape[2:]] for name, leaf in draws.items()})
        return dataclasses.replace(self, axes=axes)

    def extended(self, more: Fit) -> Fit:
        """Append the draws of a run that went on from this fit.

        Args:
          more: what `nuts.sample(target, init=self, ...)` returned.

        Returns:
          A `Fit` with the draws of both, [num_chains, num_draws + more.num_draws, ...]. What was
          learned, and where the chains stand, are those of `more`; times are summed.

        Raises:
          SamplingError: `more` did not go on from this fit, or differs in its number of chains or
            of superchains, in `thin`, in `max_tree_depth`, or in the form of its draws.
        """
        return extended(self, more)

    def summary(
        self, reference: Reference | None = None, variables: Sequence[str] | None = None
    ) -> Summary:
        """Summarize each number of the draws in a table, which prints itself.

        Args:
          reference: known means, by the names in the table, to compare with.
          variables: which to summarize, by names such as "theta" and "theta[3]". Without it all
            are, and of those with many numbers the table prints the first.

        Returns:
          The `Summary`, a tuple of one row for each number: mean, sd and quantiles, effective
          sample sizes, R-hat, and Monte Carlo standard errors, all float. What needs four draws of
          each chain is NaN below that.

        Raises:
          SamplingError: there is no variable of a name that is asked for.
        """
        from nuts.results import diagnostics  # ArviZ takes seconds to import

        return diagnostics.summary_of(self, reference, variables)

    def warnings(self) -> list[str]:
        """Look for what may be wrong with the draws.

        Returns:
          A sentence for each thing that may be wrong, with what to do about it; empty where nothing
          is.
        """
        return warnings.warnings(self)

    def to_arviz(
        self,
        model: Any = None,
        *,
        dims: Dims | None = None,
        coords: Coords | None = None,
        prior: int | Structure | None = None,
        predictions: Mapping[str, np.ndarray] | None = None,
        pred_dims: Dims | None = None,
        pred_coords: Coords | None = None,
        generated: Structure | None = None,
        **groups: Mapping[str, np.ndarray],
    ) -> Any:
        """The draws and statistics in the form that ArviZ takes.

        Args:
          model: the pinned joint distribution that was sampled: adds the groups observed_data,
            log_likelihood and posterior_predictive.
          dims, coords: as for `named`; names of observations, too.
          prior: how many draws of the joint distribution to make for the groups prior and
            prior_predictive; or such draws, as `model.distribution.sample(1000)` returns them.
          predictions: what `nuts.predict` returned for new data: the group predictions.
          pred_dims, pred_coords: `dims` and `coords` of the predictions.
          generated: what `nuts.generated` returned: more variables of the group posterior.
          **groups: further groups of ArviZ, each a dict of arrays, such as constant_data. One that
            `model` would add is taken in its place.

        Returns:
          An `xarray.DataTree` with the groups posterior and sample_stats, the statistics under
          ArviZ's names, and the others. With an ArviZ before 1.0 an `arviz.InferenceData`.

        Raises:
          SamplingError: the model's variables are not those of the fit; or `dims` or `coords` do
            not go with the variables.
        """
        from nuts.results import arviz_groups

        return arviz_groups.to_arviz(
            self,
            model,
            dims=dims,
            coords=coords,
            prior=prior,
            predictions=predictions,
            pred_dims=pred_dims,
            pred_coords=pred_coords,
            generated=generated,
            **groups,
        )

    def plot(
        self, folder: str | os.PathLike[str], variables: Sequence[str] | None = None
    ) -> list[pathlib.Path]:
        """Write pictures of traces, ranks, energies and pairs, with divergences, into a folder.

        Args:
          folder: is made where it is not there.
          variables: which to show, by names such as "theta" and "theta[3]"; of these, or of all
            if not given, the first eight numbers.

        Returns:
          The PNG files: trace.png, rank.png, energy.png and pair.png.

        Raises:
          ValueError: there are fewer than four draws of each chain; or no variable has such a name.
        """
        from nuts.results import plots

        return plots.plot(self, folder, variables)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file that `nuts.load` reads.

        Args:
          path: the file, NumPy's npz without pickled objects. One that is there is written over.
            Labels along axes that are neither text nor numbers are written as text.
        """
        saved.write(self, path)


def load(path: str | os.PathLike[str]) -> Fit:
    """Read what `Fit.save` wrote, or open what `nuts.sample(..., store=path)` made.

    Args:
      path: the file; or the folder of a store, finished or not.

    Returns:
      The `Fit`. Arrays have the shapes and dtypes that were saved. A NamedTuple comes back as one
      of the same name with the same fields. The arrays of a store are read from disk when they are
      used, and cannot be written to.

    Raises:
      OSError: there is no such file.
      SamplingError: the folder holds no store, or a damaged one.
    """
    return Fit(**(stored.read(path) if os.path.isdir(path) else saved.read(path)))
