"""Functions of many operations that stay one operation of a graph, also for a batch.

Threefry takes some hundred operations on words. A program draws in many places, and each of its
graphs (for one member, for the batch, for a bucket) had them all anew.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import tensorflow as tf

_PREFIX = "pcbatch_elementwise_"
_NAME = re.compile(_PREFIX + r"(\w+)_\d+$")
_FUNCTIONS: dict[str, Elementwise] = {}


class Elementwise:
    """A function that a graph calls.

    Args:
      function: takes and returns tensors, and treats each element by itself: its operations
        broadcast their arguments as NumPy does, and none depends on a shape.
      dtypes: of its arguments.
    """

    def __init__(self, function: Callable[..., tuple[Any, ...]], *dtypes: tf.DType):
        name = function.__name__.strip("_")

        def named(*args: tf.Tensor) -> tuple[Any, ...]:
            return function(*args)

        named.__name__ = _PREFIX + name
        specs = [tf.TensorSpec(None, dtype) for dtype in dtypes]
        self._traced = tf.function(named, input_signature=specs, autograph=False)
        _FUNCTIONS[name] = self

    def __call__(self, *args: Any) -> tuple[tf.Tensor, ...]:
        args = tuple(map(tf.convert_to_tensor, args))
        results = self._traced(*args)
        shape = functools.reduce(tf.broadcast_static_shape, (x.shape for x in args))
        for result in results:
            result.set_shape(shape)
        return tuple(results)

    @functools.cached_property
    def operations(self) -> int:
        """How many operations it takes for each element."""
        graph = self._traced.get_concrete_function().graph
        left_out = ("Const", "Identity", "Placeholder")
        return sum(op.type not in left_out for op in graph.get_operations())


def elementwise(*dtypes: tf.DType) -> Callable[[Callable[..., tuple[Any, ...]]], Elementwise]:
    """Decorate what `Elementwise` takes."""
    return lambda function: Elementwise(function, *dtypes)


def called(op: tf.Operation) -> Elementwise | None:
    """The function that an operation calls, if it is one of these."""
    if op.type not in ("PartitionedCall", "StatefulPartitionedCall"):
        return None
    found = _NAME.search(op.get_attr("f").name)
    return _FUNCTIONS.get(found[1]) if found else None
