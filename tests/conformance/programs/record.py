"""One shared program of the conformance grid: a function, its batch, and how to compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import tensorflow as tf


@dataclasses.dataclass(frozen=True, slots=True)
class Program:
    """A single-example function with a batch of arguments.

    Attributes:
      name: unique among the shared programs.
      function: the autobatched function.
      args: the batched arguments: structures of arrays, `[B, ...]` where the axis is 0.
      in_axes: what the function was decorated with: 0 or None, or one of them per argument (each
        may be a structure of them).
      static: arguments that are the same Python objects for the whole batch, passed by keyword.
      options: keywords for `.run`, such as the stack depth that the program must do with.
      roundings: how many dependent operations the results chain that may be rounded differently,
        see `tests/support/tolerances.py`; 0 where results are exact.
      plain: what plain Python is given per member: NumPy scalars and arrays, eager tensors, or
        Python's own numbers in the place of scalars.
      tags: "xla" marks the programs that also go through two ways of XLA in the quick test run,
        "turn" those that go through one.
    """

    name: str
    function: Any
    args: tuple[Any, ...]
    in_axes: Any = 0
    static: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    roundings: int = 0
    plain: Literal["numpy", "tensor", "python"] = "numpy"
    tags: tuple[str, ...] = ()

    def axes(self) -> tuple[Any, ...]:
        """One axis, or structure of axes, per argument."""
        if isinstance(self.in_axes, tuple):
            return self.in_axes
        return (self.in_axes,) * len(self.args)

    def batch_size(self) -> int:
        """The length of axis 0 of the batched arguments, which must agree."""
        sizes = {size for arg, axis in zip(self.args, self.axes()) for size in _sizes(arg, axis)}
        (size,) = sizes
        return size

    def member(self, index: int) -> tuple[Any, ...]:
        """The arguments of one member, as plain Python is given them."""
        kind = {"tensor": tf.constant, "numpy": lambda x: x, "python": as_python}[self.plain]
        return tuple(
            tf.nest.map_structure(kind, take(arg, axis, index))
            for arg, axis in zip(self.args, self.axes())
        )

    def select(self, indices: Any) -> tuple[Any, ...]:
        """Batched arguments for the members at `indices`, in that order."""
        return tuple(
            take(arg, axis, np.asarray(indices)) for arg, axis in zip(self.args, self.axes())
        )


def as_python(leaf: Any) -> Any:
    """A NumPy scalar as Python's own number; an array as it is."""
    return leaf.item() if isinstance(leaf, np.generic) else leaf


def take(arg: Any, axis: Any, index: Any) -> Any:
    """`arg[index]` for every batched leaf; shared leaves stay whole."""
    if axis is None:
        return arg
    if isinstance(axis, int):
        return tf.nest.map_structure(lambda x: x[index], arg)
    if isinstance(axis, Mapping):
        return {name: take(arg[name], axis[name], index) for name in arg}
    return type(arg)(take(a, x, index) for a, x in zip(arg, axis))


def _sizes(arg: Any, axis: Any) -> set[int]:
    if axis is None:
        return set()
    if isinstance(axis, int):
        return {leaf.shape[0] for leaf in tf.nest.flatten(arg)}
    pairs = [(arg[k], axis[k]) for k in arg] if isinstance(axis, Mapping) else list(zip(arg, axis))
    return set().union(*(_sizes(a, x) for a, x in pairs))


def ints(*values: int) -> np.ndarray:
    """An `int32[B]` argument."""
    return np.array(values, np.int32)


def floats(*values: float) -> np.ndarray:
    """A `float32[B]` argument."""
    return np.array(values, np.float32)


def doubles(*values: float) -> np.ndarray:
    """A `float64[B]` argument."""
    return np.array(values, np.float64)
