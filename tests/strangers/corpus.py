"""The strangers: which there are, and what plain Python says of each."""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import inspect
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import pcbatch
from tests.support.members import outcome

FIELDS = pathlib.Path(__file__).with_name("fields")

MIXED = {"dynamic.coin_change"}
"""Their lists hold integers and floats, so that what is an integer in Python is a float here."""
SINGLE = {"finance.income_tax"}
"""Their floats come from literals alone, beside integers: they have the digits of a float32."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stranger:
    """A function of a field, and the members that it is run for.

    Attributes:
      field: the name of the module.
      name: the name of the function.
      path: the file of the module.
      plain: the function itself.
      members: the arguments of each member.
    """

    field: str
    name: str
    path: pathlib.Path
    plain: Callable[..., Any]
    members: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        return f"{self.field}.{self.name}"

    @property
    def mixed(self) -> bool:
        """Whether a float may stand for an integer of that value."""
        return str(self) in MIXED

    @property
    def digits(self) -> str:
        """The dtype whose rounding floats may show."""
        return "float32" if str(self) in SINGLE else "float64"

    def batched(self) -> pcbatch.Autobatched:
        """The function, where each function of its module is decorated."""
        return getattr(decorated(self.path), self.name)

    def truths(self) -> list[Any]:
        """What plain Python gives for each member: a value, or the exception that it raises."""
        return [as_python(outcome(self.plain, args)) for args in self.members]


def as_python(value: Any) -> Any:
    """A value with Python's numbers and lists in the place of NumPy's."""
    if isinstance(value, tuple):
        return tuple(map(as_python, value))
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


@functools.cache
def strangers() -> tuple[Stranger, ...]:
    """All of them, field by field, in the order of the tables."""
    return tuple(
        Stranger(path.stem, function.__name__, path, function, tuple(map(tuple, members)))
        for path in sorted(FIELDS.glob("*.py"))
        if path.stem != "__init__"
        for function, members in load(path).CASES
    )


def load(path: pathlib.Path) -> types.ModuleType:
    """A module of its own each time that it is loaded."""
    spec = importlib.util.spec_from_file_location(f"strangers_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def decorated(path: pathlib.Path) -> types.ModuleType:
    """The module as if `@pcbatch.autobatch` stood above each of its functions.

    Functions find each other among the module's globals when they are called, so that it is enough
    to put the decorated ones there.
    """
    module = load(path)
    for name, value in list(vars(module).items()):
        # What `functools.cache` makes of a function is callable, and no function.
        own = getattr(value, "__module__", None) == module.__name__
        if own and callable(value) and not inspect.isclass(value):
            setattr(module, name, pcbatch.autobatch(value))
    return module
