"""What is wrong with a call of `nuts.sample`, said before any sampling starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from nuts.target import Problem, Space, Structure
from nuts.trajectory import evaluate

METRICS = ("unit", "diag", "dense")
POOLS = ("all", "none")


class SamplingError(ValueError):
    """A call of `nuts.sample` that cannot be right."""


def check_numbers(arguments: dict[str, Any]) -> None:
    """Check the arguments of `nuts.sample` that are numbers or words.

    Raises:
      SamplingError: names the argument, what it must be and what it is.
    """
    least = {"num_chains": 1, "num_draws": 0, "num_warmup": 0, "max_tree_depth": 1, "thin": 1}
    for name, minimum in least.items():
        value = arguments[name]
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
            raise SamplingError(f"{name} must be an integer, at least {minimum}, not {value!r}")
    for name in ("step_size", "max_delta_energy"):
        value = arguments[name]
        if value is not None and not (np.isscalar(value) and np.isfinite(value) and value > 0):
            raise SamplingError(f"{name} must be a positive number, not {value!r}")
    if not 0 < arguments["target_accept"] < 1:
        raise SamplingError(
            f"target_accept must lie between 0 and 1, not {arguments['target_accept']!r}"
        )
    for name, words in (("metric", METRICS), ("pool", POOLS)):
        if arguments[name] not in words:
            raise SamplingError(f"{name} must be one of {words}, not {arguments[name]!r}")
    if arguments["num_warmup"] == 0 and arguments["step_size"] is None:
        raise SamplingError("num_warmup=0 leaves nothing to find a step size: give step_size")


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
    if all(isinstance(leaf, tf.TypeSpec) for leaf in leaves):
        _check_dtypes([leaf.dtype for leaf in leaves])
        return Space(init), None
    tensors = tf.nest.map_structure(tf.convert_to_tensor, init)
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


def _check_dtypes(dtypes: list[tf.DType]) -> None:
    for dtype in dtypes:
        if dtype not in (tf.float32, tf.float64):
            raise SamplingError(f"positions must be float32 or float64, but init has {dtype.name}")
    if len(set(dtypes)) > 1:
        names = ", ".join(sorted({dtype.name for dtype in dtypes}))
        raise SamplingError(f"all leaves of init must have one dtype, but it has {names}")


def check_target(problem: Problem, position: tf.Tensor) -> None:
    """Call the target once, on one chain's start `float[D]`, and check what it returns.

    Raises:
      SamplingError: the log density is not a scalar of the position's dtype, or has no gradient.
    """
    value = problem.log_density(position)
    if not tf.is_tensor(value):
        raise SamplingError(f"the target must return a tensor, not {type(value).__name__}")
    if value.shape.rank != 0:
        raise SamplingError(
            "the target must return the log density of ONE position, a scalar; for a position of "
            f"{problem.space.dim} numbers it returned shape {list(value.shape)}. Sum over data "
            "points and coordinates; give a function of a batch as batched_target=True"
        )
    if value.dtype != position.dtype:
        raise SamplingError(
            f"the target returned {value.dtype.name} for a position in {position.dtype.name}"
        )
    if evaluate(problem.log_density, position).gradient is None:
        raise SamplingError(
            "the target has no gradient: TensorFlow cannot differentiate what it computes (NumPy "
            "inside it, an integer cast, a sample?)"
        )
