"""Discrete variables of a target: what values they can have, and how vectors stand for them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.run.space import Space
from nuts.structure import Structure


@dataclasses.dataclass(frozen=True)
class Discrete:
    """The discrete variables of a target. A vector int32[K] stands for their values.

    Attributes:
      supports: for each variable, by name in alphabetical order, how many values each of its
        elements can have, an array of integers in the form of the variable: 0, ..., n - 1.
    """

    supports: dict[str, np.ndarray]

    @property
    def space(self) -> Space:
        """The vectors that stand for the values."""
        return Space({name: tf.TensorSpec(x.shape, tf.int32) for name, x in self.supports.items()})

    @property
    def flat(self) -> np.ndarray:
        """How many values each element of the vector can have: int[K]."""
        return np.concatenate([x.ravel() for x in self.supports.values()])

    def slices(self) -> dict[str, slice]:
        """Where each variable is in the vector."""
        ends = np.cumsum([x.size for x in self.supports.values()]).tolist()
        begins = [0, *ends[:-1]]
        return {n: slice(a, b) for n, a, b in zip(self.supports, begins, ends, strict=True)}

    def random(self, keys: tf.Tensor, attempt: int) -> tf.Tensor:
        """Draw values, each equally likely: int32[chains, K] from keys uint32[chains, 2]."""
        return _random(keys, tf.constant(attempt), tf.constant(self.flat, tf.int32))

    def joined(self, draws: Structure, values: np.ndarray) -> dict[str, Structure]:
        """Put values, int32[chains, draws, K], beside the draws of the position.

        Args:
          draws: of the position; what has no name is called "x".
          values: of the discrete variables.
        """
        return {**named(draws), **self.space.unflatten_array(values)}


def named(structure: Structure) -> dict[str, Structure]:
    """The parts of a structure by name, "x" where they have none."""
    if isinstance(structure, dict):
        return structure
    return structure._asdict() if hasattr(structure, "_asdict") else {"x": structure}


@pcbatch.autobatch(in_axes=(0, None, None), strategy="local")
def _random(key, attempt, supports):
    key = pcbatch.random.fold_in(pcbatch.random.fold_in(key, attempt), 1)
    return pcbatch.random.randint(key, supports.shape, 0, supports)


def read_discrete(given: Any) -> Discrete:
    """Read what `nuts.sample` takes as `discrete`.

    Raises:
      SamplingError: it does not say for each variable how many values its elements have.
    """
    if not isinstance(given, Mapping) or not given or not all(isinstance(x, str) for x in given):
        raise SamplingError(
            "discrete must say by name how many values each element of a variable has, such as "
            f'{{"z": 3}} or {{"z": np.full(100, 3)}}, not {given!r}'
        )
    return Discrete({name: _support(name, given[name]) for name in sorted(given)})


def _support(name: str, given: Any) -> np.ndarray:
    try:
        number = np.asarray(given)
    except ValueError:  # lists of several lengths
        number = np.asarray(None)
    if number.dtype.kind not in "iu" or not number.size or number.min() < 1:
        raise SamplingError(
            f'discrete["{name}"] must be how many values each of its elements has: an integer, or '
            f"an array of integers in the form of {name}, at least 1, not {given!r}"
        )
    return number.astype(np.int64)


def check_names(discrete: Discrete, position: Structure) -> None:
    """Check that no name is of a discrete variable and of a part of the position.

    Raises:
      SamplingError: one is.
    """
    twice = sorted(discrete.supports.keys() & named(position).keys())
    if twice:
        raise SamplingError(
            f"{', '.join(twice)} is in init and in discrete: call one of them otherwise"
            + ("" if isinstance(position, dict) else "; a position without names is called x")
        )
