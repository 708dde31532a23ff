"""Loops over an index, jacobians, hessians and gradients per example: thin uses of `vectorize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.vectorizer.public import vectorize


def pfor(body: Callable[[tf.Tensor], Any], n: int, *, strict: bool = False) -> Any:
    """Run `body(0)` to `body(n - 1)` together.

    Args:
      body: takes the index, an int32 scalar, and returns a structure of tensors whose shapes do not
        depend on it. No run may depend on another one.
      n: the number of runs, static.
      strict: see `pcbatch.vectorize`.

    Returns:
      What `body` returns, stacked along a new axis 0.
    """
    return vectorize(body, strict=strict)(tf.range(n))


def jacobian(fn: Callable[[tf.Tensor], tf.Tensor], *, strict: bool = False) -> Callable[..., Any]:
    """Make the function that gives the jacobian matrix of another one, by reverse mode.

    Args:
      fn: takes a floating tensor and returns one, both of static shape. It may contain loops.
      strict: see `pcbatch.vectorize`.

    Returns:
      A function of the same tensor `x`; the result has the shape of `fn(x)`, then that of `x`. All
      rows share one evaluation of `fn`.
    """

    def of(x: tf.Tensor) -> tf.Tensor:
        x = tf.convert_to_tensor(x)
        if tf.executing_eagerly():
            return tf.function(of, autograph=False)(x)
        spec = tf.TensorSpec(x.shape, x.dtype)
        value = tf.function(fn, autograph=False).get_concrete_function(spec).outputs[0]
        shape, dtype = value.shape, value.dtype
        count = shape.num_elements()
        seeds = tf.reshape(tf.eye(count, dtype=dtype), [count, *shape])

        def row(seed: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = fn(x)
            return tape.gradient(value, x, seed, unconnected_gradients="zero")

        rows = vectorize(row, strict=strict)(seeds)
        return tf.reshape(rows, [*shape, *x.shape])

    return of


def hessian(fn: Callable[[tf.Tensor], tf.Tensor], *, strict: bool = False) -> Callable[..., Any]:
    """Make the function that gives the hessian matrix of a scalar function.

    Args:
      fn: takes a floating tensor of static shape and returns a scalar.
      strict: see `pcbatch.vectorize`.

    Returns:
      A function of the same tensor `x`; the result has the shape of `x` twice.
    """

    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = fn(x)
        return tape.gradient(value, x, unconnected_gradients="zero")

    return jacobian(slope, strict=strict)


def per_example_gradients(
    loss: Callable[..., tf.Tensor], variables: Sequence[Any], *, strict: bool = False
) -> Callable[..., list[tf.Tensor]]:
    """Make the function that gives the gradient of each example's loss.

    Args:
      loss: takes the tensors of one example and returns a scalar; it reads `variables`.
      variables: `tf.Variable`s or Keras variables, or tensors that `loss` captures.
      strict: see `pcbatch.vectorize`.

    Returns:
      A function of the batch of examples (the same arguments, the batch on axis 0); it gives one
      tensor `[B, ...]` per variable.
    """
    watched = [_tensor_of(variable) for variable in variables]

    def one(*example: Any) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            for variable in watched:
                tape.watch(variable)
            value = loss(*example)
        found = tape.gradient(value, watched, unconnected_gradients="zero")
        return [tf.convert_to_tensor(g) for g in found]

    return vectorize(one, strict=strict)


def _tensor_of(variable: Any) -> Any:
    """What a tape can watch: of a Keras variable the `tf.Variable` that it keeps its value in."""
    return variable if isinstance(variable, (tf.Tensor, tf.Variable)) else variable.value
