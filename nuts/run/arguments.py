"""What is wrong with a target or with `init`, said before any sampling starts."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from nuts.errors import SamplingError
from nuts.run.target import Problem, Space, is_distribution
from nuts.sampler.trajectory import DensityProgram, evaluate
from nuts.structure import Structure


def check_kind(target: Any) -> None:
    """Check that the target is something that can be sampled.

    Raises:
      SamplingError: it is neither a function nor a distribution.
    """
    if not callable(target) and not is_distribution(target):
        raise SamplingError(
            "target must be a function of one position or a pinned joint distribution, not "
            f"{target!r}"
        )


def read_init(init: Structure, num_chains: int) -> tuple[Space, Structure | None]:
    """Find out what one chain's position looks like, and where chains start.

    Args:
      init: a structure of arrays for one chain, or with an axis of `num_chains` in front of every
        leaf, or of `tf.TensorSpec` for one chain.
      num_chains: the number of chains.

    Returns:
      The space of positions, and the structure of starts with the axis of chains; None for the
      latter where only shapes were given.

    Raises:
      SamplingError: a leaf is not floating, dtypes differ, there is no leaf, or it cannot be told
        whether a leaf has an axis of chains.
    """
    leaves = tf.nest.flatten(init)
    if not leaves:
        raise SamplingError("init has no tensor in it")
    are_specs = [isinstance(leaf, tf.TypeSpec) for leaf in leaves]
    if all(are_specs):
        _check_dtypes([leaf.dtype for leaf in leaves])
        for leaf in leaves:
            if not leaf.shape.is_fully_defined():
                raise SamplingError(f"init must give every size, but it has {leaf}")
        return Space(init), None
    if any(are_specs):
        raise SamplingError("init must give all leaves as arrays or all as tf.TensorSpec")
    try:
        tensors = tf.nest.map_structure(tf.convert_to_tensor, init)
    except (TypeError, ValueError) as error:
        raise SamplingError(f"init must be a structure of arrays of numbers: {error}") from error
    leaves = tf.nest.flatten(tensors)
    _check_dtypes([leaf.dtype for leaf in leaves])
    batched = all(leaf.shape.rank and leaf.shape[0] == num_chains for leaf in leaves)
    if batched and len(leaves) == 1 and leaves[0].shape.rank == 1 and num_chains > 1:
        raise SamplingError(
            f"init has shape [{num_chains}] and num_chains is {num_chains}: one position for all "
            "chains, or one number for each? Give one row per chain, as in "
            "tf.broadcast_to(init, [num_chains, *init.shape]) or init[:, tf.newaxis]"
        )
    skip = 1 if batched else 0
    specs = tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape[skip:], t.dtype), tensors)
    if batched:
        return Space(specs), tensors
    return Space(specs), tf.nest.map_structure(
        lambda t: tf.broadcast_to(t, [num_chains, *t.shape]), tensors
    )


def check_init_fits(space: Space, wanted: Space) -> None:
    """Check that the positions of `init` are those that a joint distribution has.

    Raises:
      SamplingError: the structures or the shapes differ.
    """
    try:
        tf.nest.assert_same_structure(space.specs, wanted.specs)
        same = [x.shape for x in space.leaves] == [x.shape for x in wanted.leaves]
    except (TypeError, ValueError):
        same = False
    if not same:
        raise SamplingError(
            f"init has the form {space.specs}, but the distribution, in unconstrained space, "
            f"{wanted.specs}"
        )


def _check_dtypes(dtypes: list[tf.DType]) -> None:
    for dtype in dtypes:
        if dtype not in (tf.float32, tf.float64):
            raise SamplingError(f"positions must be float32 or float64, but init has {dtype.name}")
    if len(set(dtypes)) > 1:
        names = ", ".join(sorted({dtype.name for dtype in dtypes}))
        raise SamplingError(f"all leaves of init must have one dtype, but it has {names}")


def check_target(problem: Problem, position: tf.Tensor) -> None:
    """Call the target once where the chains start, and check what it returns.

    Args:
      problem: what to sample.
      position: one chain's position, float[D]; where the target is batched all chains' positions,
        float[chains, D].

    Raises:
      SamplingError: the log density is not one number of the position's dtype for a chain, or has
        no gradient.
    """
    value = problem.log_density(position)
    if not tf.is_tensor(value):
        raise SamplingError(f"the target must return a tensor, not {type(value).__name__}")
    batch = position.shape[:-1]
    if value.shape != batch and problem.batched:
        raise SamplingError(
            "with batched_target=True the target must return one log density per chain, shape "
            f"{list(batch)}; for the positions of {batch[0]} chains it returned shape "
            f"{list(value.shape)}"
        )
    if value.shape != batch:
        raise SamplingError(
            "the target must return the log density of ONE position, a scalar; for a position of "
            f"{problem.space.dim} numbers it returned shape {list(value.shape)}. Sum over data "
            "points and coordinates; give a function of a batch as batched_target=True"
        )
    if value.dtype != position.dtype:
        raise SamplingError(
            f"the target returned {value.dtype.name} for a position in {position.dtype.name}"
        )
    if isinstance(problem.log_density, DensityProgram):
        return  # The compiler says why where it has no gradient.
    if evaluate(problem.log_density, position).gradient is None:
        raise SamplingError(
            "the target has no gradient: TensorFlow cannot differentiate what it computes (NumPy "
            "inside it, an integer cast, a sample?)"
        )
