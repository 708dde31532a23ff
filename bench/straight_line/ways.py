"""What a case of `python -m bench vectorize` is: ways to do one thing for a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch

Tensors = tuple[tf.Tensor, ...]
Function = Callable[..., Any]

PCBATCH, BY_HAND, SEQUENTIAL = "pcbatch", "by hand", "sequential"
VECTORIZED_MAP, OP_BY_OP = "vectorized_map", "op by op"
MAY_FAIL = (VECTORIZED_MAP,)
"""Ways that XLA does not compile for every case."""


class Case(NamedTuple):
    """One thing, done for a batch in several ways.

    Attributes:
      ways: by name; each takes the arguments and gives the same tensors, the batch on axis 0.
      arguments: of the batch.
    """

    ways: dict[str, Function]
    arguments: Tensors


def of_one_example(one: Function, by_hand: Function, arguments: Tensors) -> Case:
    """Make the case of a function of one example.

    Args:
      one: takes the tensors of one example.
      by_hand: takes the batch, and is how a person would write it.
      arguments: the batch, on axis 0.
    """

    def sequential(*batch: tf.Tensor) -> Any:
        example = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape[1:], x.dtype), batch)
        results = tf.function(one, autograph=False).get_concrete_function(*example)
        return tf.map_fn(
            lambda x: one(*x),
            batch,
            fn_output_signature=tf.nest.map_structure(
                lambda t: tf.TensorSpec(t.shape, t.dtype), results.structured_outputs
            ),
        )

    ways = {
        PCBATCH: pcbatch.vectorize(one),
        BY_HAND: by_hand,
        SEQUENTIAL: sequential,
        VECTORIZED_MAP: lambda *batch: tf.vectorized_map(lambda x: one(*x), batch, warn=False),
    }
    return Case(ways, arguments)


def jacobian(fn: Function, by_hand: Function, x: tf.Tensor) -> Case:
    """Make the case of the jacobian matrix of a function; its rows are the batch.

    The sequential way and `tf.vectorized_map` share one forward pass among the rows, as ours does.
    """

    def rows(x: tf.Tensor, each: Callable[[Function, tf.Tensor], tf.Tensor]) -> tf.Tensor:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            value = fn(x)
        seeds = tf.eye(value.shape[0], dtype=value.dtype)
        return each(lambda seed: tape.gradient(value, x, seed), seeds)

    ways = {
        PCBATCH: pcbatch.jacobian(fn),
        BY_HAND: by_hand,
        SEQUENTIAL: lambda x: rows(x, lambda row, seeds: tf.map_fn(row, seeds)),
        VECTORIZED_MAP: lambda x: rows(x, lambda row, s: tf.vectorized_map(row, s, warn=False)),
    }
    return Case(ways, (x,))


def draw(*shape: int, scale: float = 0.1) -> tf.Tensor:
    """Draw normal numbers, float32, the same ones for the same shape."""
    numbers = np.random.RandomState(sum(shape)).normal(size=shape)
    return tf.constant(numbers * scale, tf.float32)
