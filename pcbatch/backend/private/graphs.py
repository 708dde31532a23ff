"""Graphs of functions, their operations, and the tapes that watch what is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.autograph.core import config as autograph
from tensorflow.python.eager import execute, record
from tensorflow.python.framework import ops
from tensorflow.python.framework.func_graph import FuncGraph as FuncGraph
from tensorflow.python.framework.func_graph import func_graph_from_py_func
from tensorflow.python.ops import (
    control_flow_util_v2,
    resource_variable_ops,
)


def trace(fn: Callable[..., Any], specs: Sequence[tf.TensorSpec]) -> FuncGraph:
    """Trace a function for one member.

    The graph's outer graph is no XLA context, so that one and the same graph comes out whether the
    result will be compiled or not. Tensors that `fn` captures are in the graph's `captures`.

    Args:
      fn: takes tensors and returns a structure of tensors.
      specs: one per argument.

    Returns:
      The graph; `inputs` are the arguments, then the captures.
    """
    with tf.init_scope():
        graph = FuncGraph("member")
    return func_graph_from_py_func("member", fn, list(specs), {}, func_graph=graph)


def keep_as_written(package: str) -> None:
    """Have AutoGraph convert no function of a package, wherever it is called."""
    rules = autograph.CONVERSION_RULES
    autograph.CONVERSION_RULES = (autograph.DoNotConvert(package), *rules)


def tell_variables(graph: FuncGraph) -> None:
    """Tell the tapes and the functions that are traced here which variables a graph reads.

    It was traced elsewhere, and what it captures is taken here as it is.
    """
    for reference in graph._weak_variables:
        if (variable := reference()) is not None:
            resource_variable_ops.variable_accessed(variable)


IN_ANY_ORDER = {"_disable_acd": True}
"""An attribute of a `tf.function` whose operations have no state: none waits for another, and
TensorFlow does not look for those that would have to."""

NUMBERED = frozenset(
    {"_gradient_op_type", "api_implements", "backward_function_name", "forward_function_name"}
)
"""Attributes that hold the number of a function, and say nothing of what a graph computes."""


def function_graph(op: tf.Operation, name: str) -> FuncGraph:
    """The graph of a function that an operation calls, by the function's name."""
    function = op.graph._get_function(name)
    graph = getattr(function, "graph", None)
    if isinstance(graph, FuncGraph):
        return graph
    return control_flow_util_v2.get_func_graph(op, [t.shape for t in op.inputs], name)


def called(op: tf.Operation, attribute: str) -> FuncGraph:
    """The graph of the function in an operation's attribute."""
    return function_graph(op, op.get_attr(attribute).name)


def outputs_of_call(op: tf.Operation, graph: FuncGraph) -> list[tf.Tensor]:
    """The graph's outputs that are outputs of the operation."""
    return list(graph.outputs[: len(op.outputs)])


def outermost(tensor: tf.Tensor) -> tf.Tensor:
    """The tensor that loops and functions around the current graph have captured it from."""
    while tf.is_symbolic_tensor(tensor):
        captured = getattr(tensor.graph, "captures", ())
        outer = next((outside for outside, inside in captured if inside is tensor), None)
        if outer is None:
            return tensor
        tensor = outer
    return tensor


def create(
    op: tf.Operation, inputs: Sequence[tf.Tensor], attributes: dict[str, Any] | None = None
) -> list[tf.Tensor]:
    """Copy an operation into the current graph with other inputs.

    Args:
      op: the original.
      inputs: of the same dtypes as the original's.
      attributes: values that replace those of the original, as protocol messages.

    Returns:
      The outputs of the copy. Tapes that watch an input see the operation.
    """
    attrs = {k: v for k, v in op.node_def.attr.items() if not k.startswith("_")}
    if attributes:
        attrs.update(attributes)
    # `create_op` would ask Python for its own signature first, which takes half as long again.
    made = ops.get_default_graph()._create_op_internal(
        op.type, list(inputs), [t.dtype for t in op.outputs], attrs=attrs
    )
    if recording():
        flat: list[Any] = []
        for key in attrs:
            flat += [key, made.get_attr(key)]
        execute.record_gradient(op.type, made.inputs, tuple(flat), made.outputs[:])
    return list(made.outputs)


def is_stateful(op: tf.Operation) -> bool:
    """Whether an operation has a state or an effect, by its registration."""
    definition = op.op_def
    return definition is not None and bool(definition.is_stateful)


def place_in_graph(op: tf.Operation) -> int:
    """A number that grows in the order in which the operations of a graph were made."""
    number: int = op._id
    return number


def gradient_name(op: tf.Operation) -> str:
    """The name under which an operation's own gradient is registered; "" where it has none."""
    attributes = op.node_def.attr
    known = "_gradient_op_type" in attributes
    return attributes["_gradient_op_type"].s.decode() if known else ""


def recording() -> bool:
    """Whether a gradient tape may be watching what is built."""
    return bool(record.could_possibly_record())


def is_watched(tensor: tf.Tensor) -> bool:
    """Whether a gradient tape may ask for the derivative with regard to a tensor.

    What is around the function that is traced here is not known, so within one it may.
    """
    inside = bool(ops.inside_function())
    return inside or bool(pywrap_tfe.TFE_Py_TapeSetShouldRecordBackprop([tensor]))


def traceback_of(op: tf.Operation) -> list[Any]:
    """Stack frames (filename, lineno, name, line) of the operation's making; innermost last."""
    return list(op.traceback or ())


def gradient_function(name: str) -> Callable[..., Any]:
    """The gradient that a custom-gradient operation registered under a name."""
    return ops.gradient_registry.lookup(name)
