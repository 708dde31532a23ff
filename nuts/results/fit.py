"""What `nuts.sample` returns: draws, statistics of the sampler, and what to make of them."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import tensorflow as tf

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.warmup import Learned
from nuts.results.pickles import Pickled, named_tuple
from nuts.results.reference import Reference
from nuts.structure import Structure

if TYPE_CHECKING:
    from nuts.results.diagnostics import Summary


class Stats(NamedTuple):
    """One number per kept draw, each [num_chains, num_draws].

    Where draws are thinned `lp` and `energy` are of the draw that is kept, and the others tell of
    it and of the draws before it that were not.

    Attributes:
      lp: float, the log density in the unconstrained space.
      accept_prob: float, the mean of min(1, exp(-energy error)) over trajectories.
      step_size: float.
      tree_depth: int32, the number of doublings, the largest.
      num_leapfrogs: int32, the number of gradients, of all.
      energy: float, the Hamiltonian at the draw.
      diverging: bool, whether any diverged.
    """

    lp: np.ndarray
    accept_prob: np.ndarray
    step_size: np.ndarray
    tree_depth: np.ndarray
    num_leapfrogs: np.ndarray
    energy: np.ndarray
    diverging: np.ndarray


class Repeats(NamedTuple):
    """What `Stats` cannot show where draws are thinned: that the same befell several of a row.

    Attributes:
      divergences: how many draws diverged beside the first one of their row that did.
      saturated: the same for draws that reached the largest tree depth.
    """

    divergences: int = 0
    saturated: int = 0


class Timing(NamedTuple):
    """Wall time in seconds.

    Attributes:
      warmup: of warmup, compilation included where there is any warmup.
      sampling: of the kept draws.
    """

    warmup: float
    sampling: float


@dataclasses.dataclass(frozen=True, repr=False)
class Fit(Pickled):
    """The outcome of a run.

    Attributes:
      draws: a structure of float[num_chains, num_draws, ...], in the constrained space.
      stats: `Stats`.
      learned: the step size and the inverse mass that the draws were made with.
      max_tree_depth: the limit that the draws were made with.
      timing: how long it took.
      blocks: how the blocks of the compiled program were used while the kept draws were made.
      num_superchains: how many groups of consecutive chains started at one point each; None where
        every chain has a start of its own.
      thin: how many draws were made for each that is kept.
      repeats: `Repeats`, what `stats` does not show of the draws that were not kept.
    """

    draws: Structure
    stats: Stats
    learned: Learned
    max_tree_depth: int
    timing: Timing
    blocks: tuple[BlockUse, ...]
    num_superchains: int | None = None
    thin: int = 1
    repeats: Repeats = dataclasses.field(default_factory=Repeats)

    def __repr__(self) -> str:
        return (
            f"<nuts.Fit: {self.num_chains} chains x {self.num_draws} draws of "
            f"{_shapes(self.draws)}; {self.divergences} divergences>"
        )

    @property
    def num_chains(self) -> int:
        return self.stats.lp.shape[0]

    @property
    def num_draws(self) -> int:
        """The number of kept draws per chain."""
        return self.stats.lp.shape[1]

    @property
    def divergences(self) -> int:
        """How many draws diverged, those that were not kept included."""
        return int(self.stats.diverging.sum()) + self.repeats.divergences

    @property
    def saturated(self) -> int:
        """How many draws reached the largest tree depth, those that were not kept included."""
        deepest = self.stats.tree_depth >= self.max_tree_depth
        return int(deepest.sum()) + self.repeats.saturated

    def summary(self, reference: Reference | None = None) -> Summary:
        """Summarize each number of the draws in a table, which prints itself.

        Args:
          reference: known means, by the names in the table, to compare with.
        """
        from nuts.results import diagnostics  # ArviZ takes seconds to import

        return diagnostics.summarize(named_draws(self.draws), reference, self.num_superchains)

    def warnings(self) -> list[str]:
        """What may be wrong with the draws and what to do about it; empty where nothing is."""
        from nuts.results import warnings

        return warnings.warnings(self)

    def to_arviz(self) -> Any:
        """The draws as an ArviZ `InferenceData`, the statistics under ArviZ's names."""
        from nuts.results import diagnostics

        return diagnostics.to_arviz(self)

    def plot(self, folder: str | os.PathLike[str]) -> list[pathlib.Path]:
        """Write pictures of traces, ranks, energies and pairs, with divergences, into a folder.

        Returns:
          The PNG files: trace.png, rank.png, energy.png and pair.png.
        """
        from nuts.results import plots

        return plots.plot(self, folder)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file that `nuts.load` reads: NumPy's npz, without pickled objects."""
        leaves = {f"draws_{i}": leaf for i, leaf in enumerate(tf.nest.flatten(self.draws))}
        stats = {f"stats_{name}": leaf for name, leaf in self.stats._asdict().items()}
        learned = {f"learned_{name}": leaf for name, leaf in self.learned._asdict().items()}
        about = {
            "format": 1,
            "structure": _describe(self.draws, iter(range(len(leaves)))),
            "max_tree_depth": self.max_tree_depth,
            "timing": list(self.timing),
            "blocks": [list(block) for block in self.blocks],
            "num_superchains": self.num_superchains,
            "thin": self.thin,
            "repeats": list(self.repeats),
        }
        with open(path, "wb") as file:
            np.savez_compressed(file, about=json.dumps(about), **leaves, **stats, **learned)


def load(path: str | os.PathLike[str]) -> Fit:
    """Read what `Fit.save` wrote. NamedTuples come back with the same fields."""
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        return Fit(
            draws=_rebuild(about["structure"], file),
            stats=Stats(*(file[f"stats_{name}"] for name in Stats._fields)),
            learned=Learned(*(file[f"learned_{name}"] for name in Learned._fields)),
            max_tree_depth=about["max_tree_depth"],
            timing=Timing(*about["timing"]),
            blocks=tuple(BlockUse(*block) for block in about["blocks"]),
            num_superchains=about.get("num_superchains"),
            thin=about.get("thin", 1),
            repeats=Repeats(*about.get("repeats", ())),
        )


def named_draws(draws: Structure) -> dict[str, np.ndarray]:
    """The leaves of the draws by name: the path of keys joined by dots, "x" for a bare array."""
    return {path or "x": leaf for path, leaf in _with_paths(draws, "")}


def _with_paths(structure: Structure, prefix: str) -> Iterator[tuple[str, np.ndarray]]:
    """The leaves in `tf.nest` order, each with its path."""
    if isinstance(structure, dict):
        items: Iterable[tuple[Any, Structure]] = sorted(structure.items())
    elif hasattr(structure, "_fields"):
        items = [(name, getattr(structure, name)) for name in structure._fields]
    elif isinstance(structure, list | tuple):
        items = enumerate(structure)
    else:
        yield prefix, structure
        return
    for key, item in items:
        yield from _with_paths(item, f"{prefix}.{key}" if prefix else str(key))


def scalar_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of a leaf's numbers: "theta[0,2]", in row-major order."""
    if not shape:
        return [name]
    return [f"{name}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def _shapes(draws: Structure) -> str:
    """The leaves with their shapes, chains and draws left out: "mu, theta [8]"."""
    named = named_draws(draws)
    return ", ".join(
        f"{name} {list(leaf.shape[2:])}" if leaf.ndim > 2 else name for name, leaf in named.items()
    )


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


def _rebuild(description: Any, file: Any) -> Structure:
    """Make the structure that `_describe` described."""
    match description:
        case int():
            return file[f"draws_{description}"]
        case {"dict": items}:
            return {key: _rebuild(item, file) for key, item in items.items()}
        case {"namedtuple": name, "items": items}:
            values = {key: _rebuild(item, file) for key, item in items.items()}
            return named_tuple(name, tuple(values), tuple(values.values()))
        case {"list": items}:
            return [_rebuild(item, file) for item in items]
        case {"tuple": items}:
            return tuple(_rebuild(item, file) for item in items)
    raise ValueError(f"not a description of a structure: {description!r}")
