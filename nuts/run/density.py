"""Log densities that know when they are the same, so that a second call compiles nothing.

A user's function may read what has changed since it was compiled: a list, a global, an array
written in place. Two calls of `nuts.sample` therefore share a compiled program only where they have
the same function *and* TensorFlow records the same operations, constants and tensors for it now.
The alternatives were to compare functions alone, which is wrong where data change, and to compile
in every call, which takes seconds.
"""

from __future__ import annotations

import hashlib
import traceback
from typing import Any

import tensorflow as tf

from nuts.errors import SamplingError
from nuts.run.non_finite import users_line
from nuts.sampler.trajectory import Target, evaluate


class Density:
    """A log density, equal to another of the same function and the same record.

    Args:
      owner: what the user gave: a function or a distribution.
      log_density: the same as a function of vectors.
      spec: the vectors that it takes.
    """

    def __init__(self, owner: Any, log_density: Target, spec: tf.TensorSpec):
        self._owner = owner
        self._log_density = log_density
        self._record, self._captured = _record(log_density, spec)

    def __call__(self, position: tf.Tensor) -> tf.Tensor:
        return self._log_density(position)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Density)
            and self._owner is other._owner
            and self._record is not None
            and self._record == other._record
            and len(self._captured) == len(other._captured)
            and all(map(_same, self._captured, other._captured))
        )

    def __hash__(self) -> int:
        return hash((id(self._owner), self._record))


def _same(a: tf.Tensor, b: tf.Tensor) -> bool:
    """Whether two tensors, which never change, are equal bit for bit; handles are by identity."""
    if a is b or a.dtype != b.dtype or not (a.dtype.is_floating or a.dtype.is_integer):
        return a is b
    return a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def _record(log_density: Target, spec: tf.TensorSpec) -> tuple[str | None, list[Any]]:
    """The digest of the graph of a log density and its gradient, and the tensors it captures.

    None where TensorFlow cannot record it for a reason that the compiler explains better.

    Raises:
      SamplingError: it takes what a position holds for numbers, at a line of the user's.
    """

    @tf.function(autograph=False)
    def value_and_gradient(position: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        point = evaluate(log_density, position)
        return point.log_density, point.gradient

    try:
        traced = value_and_gradient.get_concrete_function(spec)
    except _UNRECORDABLE as error:
        where = users_line(traceback.extract_tb(error.__traceback__))
        if where:
            raise SamplingError(
                f"the target wants a number of a position{where}\n{_WHY}"
            ) from error
        return None, []
    definition = traced.graph.as_graph_def()
    _strip(definition)
    content = definition.SerializeToString(deterministic=True)
    return hashlib.sha256(content).hexdigest(), list(traced.captured_inputs)


_UNRECORDABLE = (TypeError, ValueError, AttributeError, NotImplementedError)
"""What TensorFlow raises where a recorded tensor is used as a number: as a condition, an index, by
`.numpy()` or by NumPy."""

_WHY = (
    "why: all chains go through the target together, so that a position there stands for those of "
    "all of them; Python's if, while, and, or, not, bool, int and float, and NumPy, want one "
    "number\n"
    "help: choose by tf.where(condition, this, that), or, where only one of them may be computed, "
    "by tf.cond(condition, lambda: this, lambda: that); loop by tf.while_loop; take tf.exp(x) for "
    "np.exp(x)"
)


def _strip(definition: Any) -> None:
    """Take out of a `GraphDef` what is new in every trace: names, and numbers of gradients.

    What those numbers stand for, a user's own gradient, is in the graph itself.
    """
    numbers = {node.name: str(i) for i, node in enumerate(definition.node)}
    for node in definition.node:
        node.name = numbers[node.name]
        node.attr.pop("_gradient_op_type", None)
        node.ClearField("experimental_debug_info")
        for i, source in enumerate(node.input):
            control, (name, *output) = source.startswith("^"), source.lstrip("^").split(":")
            node.input[i] = ":".join(["^" * control + numbers[name], *output])
