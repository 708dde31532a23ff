"""A function of one draw, at all draws of a fit, piece by piece."""

from __future__ import annotations

import contextlib
import math
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from nuts.errors import SamplingError
from nuts.structure import Structure
from nuts.users_code import ONE_NUMBER, users_line, wants_number

PIECE_NUMBERS = 2**24
"""The most numbers that the operations of a piece make: 64 MiB in float32."""
PROGRAM_DRAWS = 2**14
"""The most draws of a piece where an autobatched function is evaluated."""


def each_draw(
    function: Callable[[Structure], Structure], draws: Structure, one_by_one: bool = False
) -> Structure:
    """Evaluate a function of one draw at all draws.

    Memory is that of the result and of one piece, whatever the number of draws.

    Args:
      function: takes a structure of tensors, one draw, and returns a structure of tensors; may be
        made by `pcbatch.autobatch`.
      draws: a structure of arrays [num_chains, num_draws, ...].
      one_by_one: go through the draws of a piece in a loop. Random numbers from a key for each draw
        are made so: TensorFlow's vectorized form of them is slower than its loop.

    Returns:
      The structure that the function returns, of NumPy arrays [num_chains, num_draws, ...].

    Raises:
      SamplingError: there are no draws, or the function wants a number of one.
    """
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(draws)]
    leading = leaves[0].shape[:2]
    total = math.prod(leading)
    if not total:
        raise SamplingError("the fit has no draws")
    if isinstance(function, pcbatch.Autobatched):
        size = min(total, PROGRAM_DRAWS)
        batched = _of_leaves(function, draws)
    else:
        one = _traced(function, draws, leaves)
        size = _piece(one, total)
        batched = _batched(one, leaves, size, one_by_one)
    found: list[np.ndarray] = []
    for first in range(0, total, size):
        made = batched(*(_padded(_part(leaf, first, size), size) for leaf in leaves))
        parts = tf.nest.flatten(made)
        if not found:
            found = [np.empty((total, *x.shape[1:]), x.dtype.as_numpy_dtype) for x in parts]
        for leaf, values in zip(found, parts, strict=True):
            leaf[first : first + size] = values[: total - first]
    return tf.nest.pack_sequence_as(made, [x.reshape(*leading, *x.shape[1:]) for x in found])


def _of_leaves(
    function: Callable[[Structure], Structure], draws: Structure
) -> Callable[..., Structure]:
    """The same function of the leaves of its argument."""
    return lambda *leaves: function(tf.nest.pack_sequence_as(draws, leaves))


def _traced(
    function: Callable[[Structure], Structure], draws: Structure, arrays: list[np.ndarray]
) -> Any:
    """The graph of the function for one draw; it takes the leaves of the draw."""
    specs = [tf.TensorSpec(array.shape[2:], array.dtype) for array in arrays]
    of_leaves = _of_leaves(function, draws)
    with warnings.catch_warnings(), refused_as_number():
        # TFP's, of loops in vectorized samplers; here they sample for one draw.
        warnings.filterwarnings("ignore", "Saw Tensor seed", UserWarning)
        return tf.function(of_leaves, autograph=False).get_concrete_function(*specs)


@contextlib.contextmanager
def refused_as_number() -> Iterator[None]:
    """Refuse code of the user's that wants a number of a draw, at its line.

    Raises:
      SamplingError: it does.
    """
    try:
        yield
    except (TypeError, AttributeError, NotImplementedError) as error:
        where = users_line(traceback.extract_tb(error.__traceback__))
        if not where or not wants_number(error):
            raise
        raise SamplingError(
            f"the function or the model wants a number of a draw{where}\n"
            "why: it is recorded once, and a value there stands for those of all draws; "
            f"{ONE_NUMBER}"
        ) from error


def _batched(one: Any, arrays: list[np.ndarray], size: int, one_by_one: bool) -> Any:
    """The graph for so many draws; it takes leaves [size, ...]."""
    signature = tf.nest.map_structure(
        lambda leaf: tf.TensorSpec(leaf.shape, leaf.dtype), one.structured_outputs
    )

    def in_turn(*leaves: tf.Tensor) -> Structure:
        return tf.map_fn(lambda parts: one(*parts), leaves, fn_output_signature=signature)

    specs = [tf.TensorSpec((size, *array.shape[2:]), array.dtype) for array in arrays]
    of_all = in_turn if one_by_one else pcbatch.vectorize(lambda *leaves: one(*leaves))
    return tf.function(of_all, autograph=False).get_concrete_function(*specs)


def _piece(one: Any, total: int) -> int:
    """How many draws a piece has: all pieces are of one size, as each size is a graph."""
    outputs = [leaf for op in one.graph.get_operations() for leaf in op.outputs]
    numbers = sum(leaf.shape.num_elements() or 1 for leaf in outputs)
    count = -(-total * numbers // PIECE_NUMBERS)
    return -(-total // min(count, total))


def _part(leaf: np.ndarray, first: int, size: int) -> np.ndarray:
    """Some draws of [num_chains, num_draws, ...], chain after chain: [size or fewer, ...].

    Draws of a store lie in another order: to reshape them would copy them all.
    """
    chains, draws = leaf.shape[:2]
    index = np.arange(first, min(first + size, chains * draws))
    return leaf[index // draws, index % draws]


def _padded(rows: np.ndarray, size: int) -> tf.Tensor:
    """Rows up to the size of a piece: the last one stands for those that are missing."""
    missing = size - len(rows)
    return tf.constant(np.concatenate([rows, rows[-1:].repeat(missing, 0)]) if missing else rows)
