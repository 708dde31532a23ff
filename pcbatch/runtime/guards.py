"""What must not go unnoticed: gradients through a call, and failures inside a graph."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.backend import graphs
from pcbatch.errors import PcbatchError
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.result import Result
from pcbatch.runtime.specialization import Specialization
from pcbatch.semantics import pytree


def run_guarded(
    name: str, specialization: Specialization, arguments: Arguments, options: RunOptions
) -> Result:
    """Run so that a gradient through the call is an error, never None."""
    if not (tf.inside_function() or graphs.recording()):  # nothing could ask for one
        return specialization.run(arguments, options)
    frozen = dataclasses.replace(
        arguments,
        leaves=tuple(
            dataclasses.replace(x, value=tf.stop_gradient(x.value)) if _floating(x.value) else x
            for x in arguments.leaves
        ),
    )
    inputs = [x.value for x in arguments.leaves if _floating(x.value)]
    if graphs.recording():  # a saved model, which no tape watches, would trace this gradient
        captured = specialization.captured(arguments)
        inputs += [tf.convert_to_tensor(x) for x in captured if _floating(x)]
    result = specialization.run(frozen, options)
    leaves, tree = pytree.flatten(result.value)
    floats = [i for i, leaf in enumerate(leaves) if _floating(leaf)]
    if not inputs or not floats:
        return result

    @tf.custom_gradient
    def guard(*_: Any) -> Any:
        def gradient(*upstream: Any) -> Any:
            raise PcbatchError(
                f"{name} is autobatched: gradients do not flow through a batched call, neither to "
                "its arguments nor to variables and tensors that it captures.\n"
                "help: take the gradient inside the function, in a primitive "
                "(tfp.math.value_and_gradient or tf.GradientTape)."
            )

        return [tf.identity(leaves[i]) for i in floats], gradient

    for i, guarded in zip(floats, guard(*inputs), strict=True):
        leaves[i] = guarded
    return dataclasses.replace(result, value=pytree.unflatten(tree, leaves))


def marked(result: Result) -> Any:
    """The value, with the floats of failed members NaN."""
    leaves, tree = pytree.flatten(result.value)
    message = "some members of a batched call did not return; .run(...) tells which"
    with tf.control_dependencies([tf.debugging.assert_equal(result.status, 0, message)]):
        values = [_mark(leaf, result.status) for leaf in leaves]
    return pytree.unflatten(tree, values)


def _mark(leaf: Any, status: tf.Tensor) -> Any:
    if not isinstance(leaf, tf.Tensor):
        return leaf
    if not leaf.dtype.is_floating:
        return tf.identity(leaf)
    failed = tf.reshape(status > 0, [-1, *([1] * (leaf.shape.rank - 1))])
    return tf.where(failed, tf.constant(float("nan"), leaf.dtype), leaf)


def _floating(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype.is_floating
