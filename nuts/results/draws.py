"""The draws of a run, with the statistics of the sampler: data, and no opinion of it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nuts.adaptation.ensemble import BlockUse
from nuts.adaptation.learned import Learned
from nuts.errors import SamplingError
from nuts.results.axes import NO_NAMES, Axes
from nuts.results.pickles import Pickled
from nuts.structure import Structure


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
    """What `Stats` cannot show where draws are thinned.

    Attributes:
      divergences: how many draws diverged beside the first one of their row that did.
      saturated: the same for draws that reached the largest tree depth.
      energy_change: the mean squared change of the energy from one draw to the next, kept or not;
        NaN where there is none.
    """

    divergences: int = 0
    saturated: int = 0
    energy_change: float = math.nan


class Mixed(NamedTuple):
    """A position beside discrete values.

    Attributes:
      continuous: a structure of float[num_chains, ...].
      discrete: int32[num_chains, ...] by name.
    """

    continuous: Structure
    discrete: dict[str, np.ndarray]


class Ending(NamedTuple):
    """Where the chains of a run stand after its last draw, for a run that goes on from there.

    Each chain counts its draws from its start, those of warmup and of earlier runs included.

    Attributes:
      positions: a structure of float[num_chains, ...], in the unconstrained space; where there are
        discrete variables `Mixed` of it and of their values.
      first_draw: the number of the first draw of the run that was kept, from 0.
      next_draw: the number of the draw that a run makes next.
    """

    positions: Structure
    first_draw: int
    next_draw: int

    @property
    def of_position(self) -> Structure:
        """The positions alone."""
        return self.positions.continuous if self._is_mixed else self.positions

    @property
    def discrete(self) -> dict[str, np.ndarray] | None:
        """The discrete values; None where there are none."""
        return self.positions.discrete if self._is_mixed else None

    @property
    def _is_mixed(self) -> bool:
        # By its name and fields: a file gives it back as a class of its own.
        kind = type(self.positions)
        return (kind.__name__, getattr(kind, "_fields", ())) == (Mixed.__name__, Mixed._fields)


class Timing(NamedTuple):
    """Wall time in seconds.

    Attributes:
      warmup: of warmup, compilation included where there is any warmup.
      sampling: of the kept draws.
    """

    warmup: float
    sampling: float


@dataclasses.dataclass(frozen=True, repr=False)
class Draws(Pickled):
    """The draws that a run kept, and how they were made; `nuts.Fit` says what each field is."""

    draws: Structure
    stats: Stats
    learned: Learned
    max_tree_depth: int
    timing: Timing
    blocks: tuple[BlockUse, ...]
    num_superchains: int | None = None
    thin: int = 1
    repeats: Repeats = dataclasses.field(default_factory=Repeats)
    end: Ending | None = None
    axes: Axes = NO_NAMES

    def __repr__(self) -> str:
        return (
            f"<nuts.{type(self).__name__}: {self.num_chains} chains x {self.num_draws} draws of "
            f"{_shapes(self.draws)}; {self.divergences} divergences>"
        )

    @property
    def num_chains(self) -> int:
        """How many chains there are."""
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


def check_draws(fit: Any) -> None:
    """Check that something is a fit with draws.

    Raises:
      SamplingError: it is none, or the result of a run that kept statistics only.
    """
    if not isinstance(fit, Draws):
        raise SamplingError(
            f"this needs the draws of a nuts.Fit, and was given {fit!r}\n"
            "help: nuts.sample returns a nuts.Fit where it has no reducers"
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


def scalar_names(
    name: str, shape: tuple[int, ...], labels: Sequence[Sequence[Any] | None] = ()
) -> list[str]:
    """The names of a leaf's numbers: "theta[0,2]", in row-major order.

    Args:
      name: of the leaf.
      shape: of the leaf.
      labels: those along each axis, which stand in the place of indices; None for an axis without.
        Axes after the last of them have none.
    """
    if not shape:
        return [name]
    known = [*labels, *[None] * len(shape)]
    axes = [range(size) if of is None else of for size, of in zip(shape, known, strict=False)]
    return [f"{name}[{','.join(map(str, index))}]" for index in itertools.product(*axes)]


def _shapes(draws: Structure) -> str:
    """The leaves with their shapes, chains and draws left out: "mu, theta [8]"."""
    named = named_draws(draws)
    return ", ".join(
        f"{name} {list(leaf.shape[2:])}" if leaf.ndim > 2 else name for name, leaf in named.items()
    )
