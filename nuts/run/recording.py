"""What a function of the user's reads now: the graph that TensorFlow records for it.

A user's function may read what has changed since it was compiled: a list, a global, an array
written in place. Two calls of `nuts.sample` therefore share a compiled program only where they have
the same function *and* TensorFlow records the same operations, constants and tensors for it now.
The alternatives were to compare functions alone, which is wrong where data change, and to compile
in every call, which takes seconds.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from nuts.errors import SamplingError
from nuts.results.draws import named_draws
from nuts.run.space import Space
from nuts.users_code import ONE_NUMBER, users_line


def same(a: tf.Tensor, b: tf.Tensor) -> bool:
    """Whether two tensors, which never change, are equal bit for bit; handles are by identity."""
    if a is b or a.dtype != b.dtype or not (a.dtype.is_floating or a.dtype.is_integer):
        return a is b
    return a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def record(
    function: Callable[..., tf.Tensor], space: Space, spec: tf.TensorSpec, *given: tf.TensorSpec
) -> tuple[str | None, list[Any]]:
    """The digest of the graph of a log density and its gradient, and the tensors it captures.

    None where TensorFlow cannot record it for a reason that the compiler explains better.

    Args:
      function: takes a position, and as many tensors more as are given.
      space: of positions.
      spec: of a position as a vector.
      *given: of the tensors more.

    Raises:
      SamplingError: it takes what a position holds for numbers, at a line of the user's; or it does
        not use a leaf of the position.
    """
    unused: list[str] = []

    @tf.function(autograph=False)
    def value_and_gradient(
        position: tf.Tensor, *more: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        leaves = named_draws(space.unflatten(position))
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            value = function(tf.nest.pack_sequence_as(space.specs, list(leaves.values())), *more)
        gradients = tape.gradient(value, leaves)
        unused[:] = [name for name, gradient in gradients.items() if gradient is None]
        return value, [gradient for gradient in gradients.values() if gradient is not None]

    try:
        traced = value_and_gradient.get_concrete_function(spec, *given)
    except _UNRECORDABLE as error:
        where = users_line(traceback.extract_tb(error.__traceback__))
        if where:
            raise SamplingError(
                f"the target wants a number of a position{where}\n{_WHY}"
            ) from error
        return None, []
    if unused:
        raise SamplingError(_unused(unused))
    definition = traced.graph.as_graph_def()
    _strip(definition)
    content = definition.SerializeToString(deterministic=True)
    return hashlib.sha256(content).hexdigest(), list(traced.captured_inputs)


_UNRECORDABLE = (TypeError, ValueError, AttributeError, NotImplementedError)
"""What TensorFlow raises where a recorded tensor is used as a number: as a condition, an index, by
`.numpy()` or by NumPy."""

_WHY = (
    "why: all chains go through the target together, so that a position there stands for those of "
    f"all of them; {ONE_NUMBER}"
)


def _unused(names: list[str]) -> str:
    told = ", ".join(names)
    return (
        f"the log density has no gradient with regard to {told}: it does not use it, or only in a "
        "way that TensorFlow cannot differentiate\n"
        "why: nothing would hold its chains, which would run away: the posterior is improper\n"
        f"help: give {told} a prior in the log density, or leave it out of init"
    )


def _strip(definition: Any) -> None:
    """Take out of a `GraphDef` what is new in every trace: names, and numbers of gradients.

    What those numbers stand for, a user's own gradient, is in the graph itself.
    """
    numbers = {node.name: str(i) for i, node in enumerate(definition.node)}
    for node in definition.node:
        node.name = numbers[node.name]
        node.attr.pop("_gradient_op_type", None)
        node.attr.pop("_user_specified_name", None)
        node.ClearField("experimental_debug_info")
        for i, source in enumerate(node.input):
            control, (name, *output) = source.startswith("^"), source.lstrip("^").split(":")
            node.input[i] = ":".join(["^" * control + numbers[name], *output])
