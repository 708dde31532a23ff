"""What one trace of a primitive has left in a graph, for whoever wants to read it again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class OpTrace:
    """The operations of one primitive in a graph.

    Attributes:
      inputs: the placeholders of its arguments, in order.
      outputs: its results, in order.
      operations: all that the trace has made, in the order of their creation.
    """

    inputs: tuple[tf.Tensor, ...]
    outputs: tuple[tf.Tensor, ...]
    operations: tuple[tf.Operation, ...]

    def reached(self) -> dict[tf.Operation, None]:
        """The operations that a result depends on, and those with an effect of their own."""
        own = set(self.operations)
        waiting = [t.op for t in self.outputs]
        waiting += [op for op in self.operations if op.op_def and op.op_def.is_stateful]
        reached: dict[tf.Operation, None] = {}
        while waiting:
            op = waiting.pop()
            if op not in reached:
                reached[op] = None
                before = (*(t.op for t in op.inputs), *op.control_inputs)
                waiting += [o for o in before if o in own]
        return reached


@dataclasses.dataclass(frozen=True, eq=False)
class Recorded:
    """A primitive's function that knows the piece of graph that a call of it makes."""

    function: Callable[..., tuple[Any, ...]]
    piece: OpTrace

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        return self.function(*args)


class PutAt(Recorded):
    """One that gives its first argument with another element: see `put_at`.

    Its last arguments are the place and the element; those between matter to no result.
    """


def put_at(array: tf.Tensor, place: tf.Tensor, element: tf.Tensor) -> tf.Tensor:
    """An array with another element at a place.

    Args:
      array: not empty.
      place: an int32 scalar, counted along all axes.
      element: of the array's dtype.
    """
    flat = tf.reshape(array, [-1])
    found = tf.tensor_scatter_nd_update(flat, place[tf.newaxis, tf.newaxis], element[tf.newaxis])
    return tf.reshape(found, array.shape)


def record(
    function: Callable[..., tuple[Any, ...]], types: tuple[tuple[tuple[int, ...], str], ...]
) -> OpTrace:
    """Trace a primitive for one member, in a graph of its own.

    Args:
      function: takes one tensor per type and returns a tuple of tensors.
      types: the shape and the dtype of each argument.
    """
    made: list[OpTrace] = []

    def body() -> None:
        inputs = tuple(tf.compat.v1.placeholder(dtype, shape) for shape, dtype in types)
        made.append(traced(inputs, lambda: tuple(map(tf.convert_to_tensor, function(*inputs)))))

    tf.compat.v1.wrap_function(body, [])
    return made[0]


def traced(inputs: tuple[tf.Tensor, ...], run: Callable[[], tuple[tf.Tensor, ...]]) -> OpTrace:
    """Note what running something adds to the current graph."""
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    outputs = run()
    return OpTrace(inputs, outputs, (*(t.op for t in inputs), *graph.get_operations()[before:]))
