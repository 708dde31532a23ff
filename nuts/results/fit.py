"""What `nuts.sample` returns: draws, and what to make of them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.results import warnings
from nuts.results.axes import NO_NAMES, Coords, Dims, check_axes
from nuts.results.draws import Draws, Ending, Repeats, Stats, Timing, named_draws
from nuts.results.extension import extended
from nuts.results.pickles import named_tuple
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
        leaves = {f"draws_{i}": leaf for i, leaf in enumerate(tf.nest.flatten(self.draws))}
        stats = {f"stats_{name}": leaf for name, leaf in self.stats._asdict().items()}
        learned = {f"learned_{name}": leaf for name, leaf in self.learned._asdict().items()}
        end, ends = self.end, {}
        if end is not None:
            ends = {f"end_{i}": leaf for i, leaf in enumerate(tf.nest.flatten(end.positions))}
        about = {
            "format": 1,
            "structure": _numbered(self.draws),
            "max_tree_depth": self.max_tree_depth,
            "timing": list(self.timing),
            "blocks": [list(block) for block in self.blocks],
            "num_superchains": self.num_superchains,
            "thin": self.thin,
            "repeats": list(self.repeats),
            "end": None if end is None else [_numbered(end.positions), *end[1:]],
            "axes": list(self.axes),
        }
        with open(path, "wb") as file:
            np.savez_compressed(
                file, about=json.dumps(about, default=str), **leaves, **stats, **learned, **ends
            )


def load(path: str | os.PathLike[str]) -> Fit:
    """Read what `Fit.save` wrote.

    Args:
      path: the file.

    Returns:
      The `Fit`. Arrays have the shapes and dtypes that were saved. A NamedTuple comes back as one
      of the same name with the same fields.

    Raises:
      OSError: there is no such file.
    """
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        return Fit(
            draws=_rebuild(about["structure"], file, "draws"),
            stats=Stats(*(file[f"stats_{name}"] for name in Stats._fields)),
            learned=_read_learned(file),
            max_tree_depth=about["max_tree_depth"],
            timing=Timing(*about["timing"]),
            blocks=tuple(BlockUse(*block) for block in about["blocks"]),
            num_superchains=about.get("num_superchains"),
            thin=about.get("thin", 1),
            repeats=Repeats(*about.get("repeats", ())),
            end=_read_end(about.get("end"), file),
            axes=NO_NAMES.extended(*about.get("axes", ({}, {}))),
        )


def _read_learned(file: Any) -> Learned:
    """What was learned; files of older versions do not have all of it."""
    names = {name: f"learned_{name}" for name in Learned._fields}
    return Learned(**{name: file[key] for name, key in names.items() if key in file})


def _read_end(description: Any, file: Any) -> Ending | None:
    if description is None:  # not known, or written by an older version
        return None
    structure, first_draw, next_draw = description
    return Ending(_rebuild(structure, file, "end"), first_draw, next_draw)


def _numbered(structure: Structure) -> Any:
    return _describe(structure, itertools.count())


def _describe(structure: Structure, numbers: Any) -> Any:
    """Describe a structure in JSON; leaves are numbered in `tf.nest` order."""
    if isinstance(structure, dict):
        return {"dict": {key: _describe(structure[key], numbers) for key in sorted(structure)}}
    if hasattr(structure, "_fields"):
        items = {name: _describe(getattr(structure, name), numbers) for name in structure._fields}
        return {"namedtuple": type(structure).__name__, "items": items}
    if isinstance(structure, list | tuple):
        kind = "list" if isinstance(structure, list) else "tuple"
        return {kind: [_describe(item, numbers) for item in structure]}
    return next(numbers)


def _rebuild(description: Any, file: Any, name: str) -> Structure:
    """Make the structure that `_describe` described; its arrays are called "name_0" and so on."""
    match description:
        case int():
            return file[f"{name}_{description}"]
        case {"dict": items}:
            return {key: _rebuild(item, file, name) for key, item in items.items()}
        case {"namedtuple": kind, "items": items}:
            values = {key: _rebuild(item, file, name) for key, item in items.items()}
            return named_tuple(kind, tuple(values), tuple(values.values()))
        case {"list": items}:
            return [_rebuild(item, file, name) for item in items]
        case {"tuple": items}:
            return tuple(_rebuild(item, file, name) for item in items)
    raise ValueError(f"not a description of a structure: {description!r}")
