"""Which numbers of the draws a table or a picture shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from nuts.errors import SamplingError
from nuts.results.axes import Axes
from nuts.results.draws import scalar_names

MOST_ROWS = 12
"""The most rows that a table shows of a variable that was not asked for by its name."""

Item = TypeVar("Item")


class Name(NamedTuple):
    """The name of a number of the draws, such as "theta[3]", and that of its variable."""

    number: str
    variable: str


def names_of(shapes: Mapping[str, tuple[int, ...]], axes: Axes) -> list[Name]:
    """The names of all numbers of variables, in row-major order.

    Args:
      shapes: of one draw of each variable.
      axes: what their axes are called.
    """
    return [
        Name(number, variable)
        for variable, shape in shapes.items()
        for number in scalar_names(variable, shape, axes.labels(variable))
    ]


def chosen(names: Sequence[Name], variables: Sequence[str] | None) -> list[int]:
    """The places of the numbers that are asked for.

    Args:
      names: of all numbers.
      variables: names of variables or of numbers, or one of them; None: all.

    Raises:
      SamplingError: there is none of such a name.
    """
    if variables is None:
        return list(range(len(names)))
    wanted = {variables} if isinstance(variables, str) else set(variables)
    if unknown := wanted.difference(*names):
        there = list(dict.fromkeys(name.variable for name in names))
        raise SamplingError(
            f"there is no variable {', '.join(map(repr, sorted(unknown)))}: the variables are "
            f"{', '.join(there)}, and their numbers are called as {names[-1].number!r}"
        )
    return [i for i, name in enumerate(names) if not wanted.isdisjoint(name)]


def shortened(rows: list[Item], most: int | None) -> tuple[list[Item], list[Item]]:
    """The rows of a variable to show, and those to leave out: none, or more than one."""
    if most is None or len(rows) <= most + 1:
        return rows, []
    return rows[:most], rows[most:]


def more_of(variable: str, number: int) -> str:
    """What stands in the place of rows that are left out."""
    return f"and {number} more of {variable}"
