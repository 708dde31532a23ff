"""Names of the axes of variables, and labels along them, as ArviZ has them: dims and coords."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nuts.errors import SamplingError

Dims = Mapping[str, Sequence[str]]
"""For a variable the names of its axes."""
Coords = Mapping[str, Sequence[Any]]
"""For the name of an axis the labels along it."""


class Axes(NamedTuple):
    """What the axes of the draws are called.

    Attributes:
      dims, coords: as `nuts.Fit.named` takes them.
    """

    dims: dict[str, tuple[str, ...]]
    coords: dict[str, tuple[Any, ...]]

    def labels(self, variable: str) -> tuple[Sequence[Any] | None, ...]:
        """The labels along each axis of a variable; None, or nothing, where an axis has none."""
        return tuple(self.coords.get(dim) for dim in self.dims.get(variable, ()))

    def extended(self, dims: Dims | None, coords: Coords | None) -> Axes:
        """These names and others, which come first."""
        return Axes({**self.dims, **plain(dims)}, {**self.coords, **plain(coords)})


NO_NAMES = Axes({}, {})


def plain(names: Mapping[str, Sequence[Any]] | None) -> dict[str, tuple[Any, ...]]:
    """The same as tuples, of Python's strings and numbers where they are NumPy's."""
    found = {}
    for name, items in (names or {}).items():
        if isinstance(items, str):
            raise SamplingError(f"names must come in a list, but those of {name!r} are {items!r}")
        found[name] = tuple(x.item() if isinstance(x, _PLAIN) else x for x in items)
    return found


_PLAIN = (np.number, np.bool_, np.str_)


def check_axes(axes: Axes, shapes: Mapping[str, Sequence[tuple[int, ...]]]) -> None:
    """Check that names and labels go with the variables.

    Args:
      axes: the names.
      shapes: of each variable, those that it has in several groups.

    Raises:
      SamplingError: names the variable, or the axis, and what does not go together.
    """
    used = set()
    for variable, own in axes.dims.items():
        if variable not in shapes:
            raise SamplingError(
                f"dims has {variable!r}, but the variables are {', '.join(sorted(shapes))}"
            )
        longest = max(shapes[variable], key=len)
        if len(own) > len(longest):
            raise SamplingError(
                f"dims gives {len(own)} names to {variable}, whose draws have the shape "
                f"{list(longest)}"
            )
        for dim, size in zip(own, longest, strict=False):
            used.add(dim)
            _check_labels(axes.coords.get(dim), dim, variable, size)
    if unused := [dim for dim in axes.coords if dim not in used]:
        raise SamplingError(
            f"coords has labels for {', '.join(unused)}, which dims gives to no variable"
        )


def _check_labels(labels: tuple[Any, ...] | None, dim: str, variable: str, size: int) -> None:
    if labels is None:
        return
    if len(labels) != size:
        raise SamplingError(
            f"coords has {len(labels)} labels for {dim}, and {variable} has {size} there"
        )
    label, times = collections.Counter(labels).most_common(1)[0]
    if times > 1:
        raise SamplingError(f"coords has the label {label!r} for {dim} {times} times")
