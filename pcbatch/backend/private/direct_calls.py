"""Calls of compiled functions on flat arguments, without TensorFlow's checks of them."""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.eager import cancellation, context, execute, record
from tensorflow.python.eager.polymorphic_function import atomic_function
from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
from tensorflow.python.framework import config
from tensorflow.python.framework.func_graph import FuncGraph, func_graph_from_py_func


def _as_written() -> context.FunctionCallOptions:
    """The options of calls here, without the rewriting of graphs."""
    options = copy.copy(context.context().function_call_options)
    config = config_pb2.ConfigProto.FromString(options.config_proto_serialized)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options.config_proto_serialized = config
    return options


@contextlib.contextmanager
def _calling(options: context.FunctionCallOptions) -> Iterator[None]:
    here = context.context()
    before = here.function_call_options
    here.function_call_options = options
    try:
        yield
    finally:
        here.function_call_options = before


class Executable:
    """A concrete function that is called with flat arguments that are known to have its types.

    The checks and conversions of a call take longer than many a function runs. TensorFlow runs its
    graph as it is written: its rewriting (Grappler) makes `x * (0.1 * x + 3)` of `x * x * 0.1 + 3 *
    x`, and `x` of `(x + 1e20) - 1e20`, which are other numbers.

    Args:
      concrete: takes tensors and returns a list of tensors.
    """

    def __init__(self, concrete: Any):
        self._concrete = concrete
        function = concrete._inference_function
        self._name = function.name.decode()
        self._number = len(function.function_type.flat_outputs)
        self._options = _as_written()
        self._attributes = tuple(itertools.chain(*self._options.as_attrs().items()))

    def __call__(self, leaves: Sequence[tf.Tensor]) -> Sequence[tf.Tensor]:
        """Call it. No tape records the call: TensorFlow would look for its gradient at once."""
        here = context.context()
        captured = self._concrete.captured_inputs
        with record.stop_recording():
            if here.executing_eagerly() and cancellation.context() is None:
                given = [*leaves, *captured]
                return execute.execute(self._name, self._number, given, self._attributes, here)
            with _calling(self._options):
                return self._concrete._call_flat(list(leaves), captured) or []


def compiled_by_name(
    name: str, fn: Callable[..., list[tf.Tensor]], specs: Sequence[tf.TensorSpec]
) -> Executable:
    """A function that XLA compiles, under a name that is the same in every process.

    TensorFlow would put a number behind it, and XLA's executables are kept by name.

    Args:
      name: no other function has it.
      fn: takes tensors and returns tensors; it captures none.
      specs: of what it takes.
    """
    with tf.init_scope():
        graph = FuncGraph(name)
    func_graph_from_py_func(name, fn, list(specs), {}, func_graph=graph)
    function = atomic_function.from_func_graph(name, graph, {"_XlaMustCompile": True})
    return Executable(ConcreteFunction(function))


def settings() -> bytes:
    """What the user has set that may change how TensorFlow or XLA compute."""
    here = context.context()
    return bytes(here.function_call_options.config_proto_serialized) + bytes(
        [config.is_op_determinism_enabled()]
    )
