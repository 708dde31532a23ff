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
from nuts.samplers.count_slice import UNBOUNDED
from nuts.structure import Structure

FIRST = 10
"""Random starts of a variable without a largest value are among so many values."""


@dataclasses.dataclass(frozen=True)
class Discrete:
    """The discrete variables of a target. A vector int32[K] stands for their values.

    Attributes:
      supports: for each variable, by name in alphabetical order, how many values each of its
        elements can have, an array of integers in the form of the variable: 0, ..., n - 1;
        `UNBOUNDED` where there is no largest value.
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

    @property
    def likely(self) -> np.ndarray:
        """How many values each element of the vector has to begin with: int[K]."""
        return np.where(self.flat == UNBOUNDED, FIRST, self.flat)

    def slices(self) -> dict[str, slice]:
        """Where each variable is in the vector."""
        ends = np.cumsum([x.size for x in self.supports.values()]).tolist()
        begins = [0, *ends[:-1]]
        return {n: slice(a, b) for n, a, b in zip(self.supports, begins, ends, strict=True)}

    def random(self, keys: tf.Tensor, attempt: int) -> tf.Tensor:
        """Draw starts: int32[chains, K] from keys uint32[chains, 2].

        Each value is equally likely, and of values without end each of the first `FIRST`.
        """
        return _random(keys, tf.constant(attempt), tf.constant(self.likely, tf.int32))

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


def in_form(init: Structure, specs: Structure) -> Structure:
    """Positions that are given as a dict, as the NamedTuple of a joint distribution."""
    fields = getattr(specs, "_fields", None)
    if isinstance(init, dict) and fields and set(init) == set(fields):
        return type(specs)(**init)
    return init


def read_discrete(given: Any) -> Discrete:
    """Read what `nuts.sample` takes as `discrete`.

    Raises:
      SamplingError: it does not say for each variable how many values its elements have.
    """
    if not isinstance(given, Mapping) or not given or not all(isinstance(x, str) for x in given):
        raise SamplingError(
            "discrete must say by name how many values each element of a variable has, such as "
            f'{{"z": 3}}, {{"z": np.full(100, 3)}} or {{"z": np.inf}}, not {given!r}'
        )
    return Discrete({name: _support(name, given[name]) for name in sorted(given)})


def _support(name: str, given: Any) -> np.ndarray:
    try:
        number = np.asarray(given)
    except ValueError:  # lists of several lengths
        number = np.asarray(None)
    known = number.dtype.kind in "iuf" and number.size > 0
    if known:
        number = np.where(number == np.inf, UNBOUNDED, number)
        known = bool(((number == np.round(number)) & (number >= 1) & (number <= UNBOUNDED)).all())
    if not known:
        raise SamplingError(
            f'discrete["{name}"] must be how many values each of its elements has: an integer, or '
            f"an array of integers in the form of {name}, at least 1, or np.inf for 0, 1, 2, ... "
            f"without end, not {given!r}"
        )
    return number.astype(np.int64)


def read_starts(init: Any, discrete: Discrete, num_chains: int) -> tuple[Any, tf.Tensor | None]:
    """Take the starts of discrete variables out of `init`, where they stand by name.

    Args:
      init: as for `nuts.sample`.
      discrete: the variables.
      num_chains: the number of chains.

    Returns:
      What `init` says of the position, None where it says nothing; and the values,
      int32[num_chains, K], None where it gives none.

    Raises:
      SamplingError: they are no values of the variables, or of some of them only.
    """
    if not isinstance(init, dict) or not discrete.supports.keys() & init.keys():
        return init, None
    missing = sorted(discrete.supports.keys() - init.keys())
    if missing:
        raise SamplingError(
            f"init has starts of some discrete variables, and none of {', '.join(missing)}: give "
            "all, or none, which are random then"
        )
    values = {n: _starts(n, init[n], x, num_chains) for n, x in discrete.supports.items()}
    rest = {name: x for name, x in init.items() if name not in values}
    return rest or None, discrete.space.flatten(values)


def _starts(name: str, given: Any, support: np.ndarray, num_chains: int) -> np.ndarray:
    array = np.asarray(None if isinstance(given, tf.TypeSpec) else given)
    if array.dtype.kind not in "iub":
        raise SamplingError(
            f"{name} is in init and in discrete: call one of them otherwise, or give integers, at "
            f"which {name} starts, not {given!r}"
        )
    if array.shape not in (support.shape, (num_chains, *support.shape)):
        raise SamplingError(
            f'init["{name}"] has the shape {list(array.shape)}, and {name} in discrete '
            f"{list(support.shape)}: give the start of all chains, or one for each of the "
            f"{num_chains}, with an axis of chains in front"
        )
    if (array < 0).any() or (array >= support).any():
        raise SamplingError(
            f'init["{name}"] is not in 0, ..., n - 1, where n is how many values discrete gives it'
        )
    return np.broadcast_to(array, (num_chains, *support.shape)).astype(np.int32)


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
