"""From what users write to what the sampler runs, and back.

Users give a log density over any structure of tensors, or a pinned TFP joint distribution whose
values may be constrained (positive, ordered, a simplex). The sampler moves one unconstrained vector
`float[D]`. A `Problem` holds the log density in the sampler's terms and the way back.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import pcbatch
from nuts.sampler.trajectory import DensityProgram, Target
from nuts.structure import Structure


class Space:
    """The vectors that stand for positions of one structure.

    Args:
      specs: a structure of `tf.TensorSpec`: the shape and dtype of one chain's position. All leaves
        have the same floating dtype.

    Attributes:
      specs: as given.
      leaves: the same in a row.
      dim: D, the number of numbers in a position.
      dtype: their `tf.DType`.
    """

    def __init__(self, specs: Structure):
        self.specs = specs
        self.leaves = tf.nest.flatten(specs)
        self.dtype = self.leaves[0].dtype
        self._sizes = [math.prod(spec.shape) for spec in self.leaves]
        self.dim = sum(self._sizes)

    def flatten(self, position: Structure) -> tf.Tensor:
        """Turn a structure of `float[..., *shape]` into `float[..., D]`."""
        tf.nest.assert_same_structure(position, self.specs)
        parts = []
        leaves = tf.nest.flatten(position)
        for leaf, spec, size in zip(leaves, self.leaves, self._sizes, strict=True):
            tensor = tf.convert_to_tensor(leaf, self.dtype)
            batch = tensor.shape[: tensor.shape.rank - spec.shape.rank]
            parts.append(tf.reshape(tensor, [*batch, size]))
        return parts[0] if len(parts) == 1 else tf.concat(parts, -1)

    def unflatten(self, vector: tf.Tensor) -> Structure:
        """Turn `float[..., D]` into a structure of `float[..., *shape]`."""
        batch = vector.shape[:-1]
        parts = [vector] if len(self.leaves) == 1 else tf.split(vector, self._sizes, axis=-1)
        leaves = [
            tf.reshape(part, [*batch, *spec.shape])
            for part, spec in zip(parts, self.leaves, strict=True)
        ]
        return tf.nest.pack_sequence_as(self.specs, leaves)


def _identity(position: Structure) -> Structure:
    return position


@dataclasses.dataclass(frozen=True)
class Problem:
    """What to sample.

    Attributes:
      log_density: of an unconstrained vector `float[D]`.
      space: the structure that the vector stands for.
      constrain: maps one unconstrained structure to what the user wants to see.
      batched: whether `log_density` takes `float[chains, D]` and returns `float[chains]`.
      terms: gives the terms of the log density at an unconstrained structure, by name; None where
        they are not known.
    """

    log_density: Target
    space: Space
    constrain: Callable[[Structure], Structure] = _identity
    batched: bool = False
    terms: Callable[[Structure], dict[str, tf.Tensor]] | None = None


def is_distribution(target: Any) -> bool:
    """Whether the target is a TFP distribution, such as a pinned joint distribution."""
    return hasattr(target, "experimental_default_event_space_bijector")


def from_function(target: Callable[[Structure], tf.Tensor], space: Space) -> Problem:
    """State the problem of sampling a density given as a function of one position."""

    def log_density(vector: tf.Tensor) -> tf.Tensor:
        return target(space.unflatten(vector))

    return Problem(log_density, space)


_PROGRAMS: collections.deque[tuple[pcbatch.Autobatched, DensityProgram]] = collections.deque(
    maxlen=16
)
"""What has been made of the last targets, so that a second call compiles nothing."""


def from_program(target: pcbatch.Autobatched, space: Space) -> Problem:
    """As `from_function`, for an autobatched function of one position."""
    for known, program in _PROGRAMS:
        if known is target and program.form == space.specs:
            return Problem(program, space)

    def log_density(vector: tf.Tensor) -> tf.Tensor:
        return target(space.unflatten(vector))

    program = DensityProgram(space.specs, log_density)
    _PROGRAMS.append((target, program))
    return Problem(program, space)


def from_batched_function(
    target: Callable[[Structure], tf.Tensor], space: Space, num_chains: int
) -> Problem:
    """As `from_function`, for a function of all chains' positions: `[num_chains, ...]` per leaf."""

    def log_density(vectors: tf.Tensor) -> tf.Tensor:
        return target(space.unflatten(vectors))

    return Problem(for_all_chains(log_density, num_chains), space, batched=True)


def for_all_chains(target: Target, num_chains: int) -> Target:
    """Let a function of all chains' positions be called with a batch of one, too.

    That is how `pcbatch` asks for the type of a result. The function itself may need its full
    batch, for instance where each chain has data of its own.

    Args:
      target: float[num_chains, D] -> float[num_chains].
      num_chains: the only batch that it knows.
    """

    def log_density(vectors: tf.Tensor) -> tf.Tensor:
        if vectors.shape[0] == num_chains:
            return target(vectors)
        if vectors.shape[0] != 1:
            raise ValueError(f"a target of {num_chains} chains was given {vectors.shape[0]}")
        return target(tf.repeat(vectors, num_chains, axis=0))[:1]

    return log_density


def from_distribution(pinned: Any) -> Problem:
    """State the problem of sampling the posterior of a pinned TFP joint distribution.

    The sampler moves in the space before the distribution's default event-space bijector; the
    density there includes the log determinant of its Jacobian.
    """
    bijector = pinned.experimental_default_event_space_bijector()
    specs = tf.nest.map_structure(
        lambda shape, dtype: tf.TensorSpec(shape, dtype),
        bijector.inverse_event_shape(pinned.event_shape),
        pinned.dtype,
    )
    space = Space(specs)

    def log_density(vector: tf.Tensor) -> tf.Tensor:
        position = space.unflatten(vector)
        jacobian = bijector.forward_log_det_jacobian(position)
        return pinned.unnormalized_log_prob(bijector.forward(position)) + jacobian

    def terms(position: Structure) -> dict[str, tf.Tensor]:
        value = bijector.forward(position)
        parts = pinned.unnormalized_log_prob_parts(value)
        named = {f"the log density of {name}": x for name, x in _named(parts).items()}
        jacobian = bijector.forward_log_det_jacobian(position)
        return {**named, "the log determinant of the bijector's Jacobian": jacobian}

    return Problem(log_density, space, _recorded(bijector.forward), terms=terms)


def _recorded(function: Callable[[Structure], Structure]) -> Callable[[Structure], Structure]:
    """Record a function of a structure of tensors as a graph, once for each form of it.

    Distributions that batch themselves would record what they compute in each call, as
    `tf.vectorized_map` does: a run that keeps no draws would do so for every slice of draws.
    """
    graphs: dict[Any, Any] = {}

    def call(position: Structure) -> Structure:
        leaves = tf.nest.flatten(position)
        form = tuple(tf.TensorSpec(leaf.shape, leaf.dtype) for leaf in leaves)
        if form not in graphs:
            graph = tf.function(
                lambda *parts: function(tf.nest.pack_sequence_as(position, parts)), autograph=False
            )
            graphs[form] = graph.get_concrete_function(*form)
        return graphs[form](*leaves)

    return call


def _named(parts: Any) -> dict[str, tf.Tensor]:
    """The log densities of the pinned and of the free variables, by their names."""
    found = {}
    for part in parts:
        items = part._asdict() if hasattr(part, "_asdict") else part
        items = items.items() if isinstance(items, dict) else enumerate(tf.nest.flatten(items))
        found.update({str(name): value for name, value in items})
    return found
