"""The private names of TensorFlow that we need: function graphs, converters, variables' handles.

Tested with the versions that `SUPPORTED` names (`tests/vectorizer/test_vectorizer.py`
checks it). Nothing else imports a private name.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops
from tensorflow.core.framework import attr_value_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.python import pywrap_tfe
from tensorflow.python.autograph.core import config as autograph
from tensorflow.python.eager import cancellation, context, execute, record
from tensorflow.python.eager.polymorphic_function import atomic_function
from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
from tensorflow.python.framework import config, ops
from tensorflow.python.framework.func_graph import FuncGraph, func_graph_from_py_func
from tensorflow.python.ops import (
    control_flow_util,
    control_flow_util_v2,
    resource_variable_ops,
)
from tensorflow.python.ops.parallel_for import pfor
from tensorflow.python.ops.parallel_for.pfor import ConversionNotImplementedError as NotConvertible

__all__ = [
    "IN_ANY_ORDER",
    "NUMBERED",
    "SUPPORTED",
    "Converters",
    "EagerTensor",
    "Executable",
    "FuncGraph",
    "NotConvertible",
    "anonymous",
    "asking_for_text",
    "call_module",
    "called",
    "compiled_by_name",
    "create",
    "dynamic_slice",
    "dynamic_update_slice",
    "function_graph",
    "gradient_function",
    "is_stateful",
    "keep_as_written",
    "outermost",
    "outputs_of_call",
    "recording",
    "settings",
    "tell_variables",
    "trace",
    "traceback_of",
    "type_of",
    "under_xla",
    "variadic_reduce",
    "while_loop",
    "whole_module",
]

SUPPORTED = ("2.21",)

EagerTensor = ops.EagerTensor


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


_ASKED: contextvars.ContextVar[Callable[[str], None] | None] = contextvars.ContextVar(
    "asked", default=None
)


@contextlib.contextmanager
def asking_for_text(asked: Callable[[str], None]) -> Iterator[None]:
    """Have a function called, inside, before the text of a tensor of a graph is made.

    The class of those tensors gets methods of its own for that, which do nothing else elsewhere.

    Args:
      asked: takes the name of the function; what it raises reaches whoever wants the text.
    """
    for name in ("str", "repr"):
        if f"__{name}__" not in vars(ops.SymbolicTensor):
            setattr(ops.SymbolicTensor, f"__{name}__", _text(name))
    token = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(token)


def _text(name: str) -> Callable[[Any], str]:
    inherited: Callable[[Any], str] = getattr(tf.Tensor, f"__{name}__")

    def text(tensor: Any) -> str:
        asked = _ASKED.get()
        if asked is not None:
            asked(name)
        return inherited(tensor)

    text.__name__ = inherited.__name__
    return text


def anonymous() -> str:
    """The name of a resource that goes with its last handle."""
    return context.anonymous_name()


IN_ANY_ORDER = {"_disable_acd": True}
"""An attribute of a `tf.function` whose operations have no state: none waits for another, and
TensorFlow does not look for those that would have to."""


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


NUMBERED = frozenset(
    {"_gradient_op_type", "api_implements", "backward_function_name", "forward_function_name"}
)
"""Attributes that hold the number of a function, and say nothing of what a graph computes."""


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


def type_of(tensor: Any) -> tuple[Any, ...]:
    """The dtype and the shape of an eager tensor, to compare with those of others."""
    return tensor._datatype_enum(), tensor._shape_tuple()


def barrier(*tensors: tf.Tensor) -> list[tf.Tensor]:
    """Tensors that XLA computes as they are written, whatever reads them; only for XLA."""
    same: list[tf.Tensor] = gen_xla_ops.xla_optimization_barrier(list(tensors))
    for new, old in zip(same, tensors, strict=True):
        new.set_shape(old.shape)
    return same


def call_module(
    module: bytes,
    args: Sequence[tf.Tensor],
    results: Sequence[tf.TensorSpec],
    attributes: dict[str, str],
) -> list[tf.Tensor]:
    """Call a serialized StableHLO module in a graph that XLA compiles for a CPU.

    The arguments pass a barrier, so that XLA does not make the module one for constants.

    Args:
      module: with a function `main`.
      args: what it takes.
      results: what it returns.
      attributes: the frontend attributes of the call.
    """
    made = whole_module(module, barrier(*args), results)
    if results:
        entries = b"".join(
            _field(1, _field(1, key.encode()) + _field(2, value.encode()))
            for key, value in attributes.items()
        )
        made[0].op._set_attr("_XlaFrontendAttributes", attr_value_pb2.AttrValue(s=entries))
    return made


def whole_module(
    module: bytes, args: Sequence[tf.Tensor], results: Sequence[tf.TensorSpec]
) -> list[tf.Tensor]:
    """Call a serialized StableHLO module that is all of a program for a CPU; see `call_module`."""
    made = gen_xla_ops.xla_call_module(
        args,
        version=_MODULE_VERSION,
        module=module,
        Sout=[spec.shape for spec in results],
        Tout=[spec.dtype for spec in results],
        platforms=["CPU"],
    )
    return list(made)


_MODULE_VERSION = 9


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol message, of at most 127 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def dynamic_slice(array: tf.Tensor, start: tf.Tensor, sizes: Sequence[int]) -> tf.Tensor:
    """XLA's DynamicSlice: the start is moved to where the slice is inside."""
    return gen_xla_ops.xla_dynamic_slice(array, start, list(sizes))


def dynamic_update_slice(array: tf.Tensor, update: tf.Tensor, start: tf.Tensor) -> tf.Tensor:
    """XLA's DynamicUpdateSlice; the start as for `dynamic_slice`."""
    return gen_xla_ops.xla_dynamic_update_slice(array, update, start)


def variadic_reduce(
    arrays: Sequence[tf.Tensor], starts: Sequence[tf.Tensor], reducer: Any
) -> list[tf.Tensor]:
    """XLA's Reduce of several arrays at once, over axis 0.

    Args:
      arrays: of one shape.
      starts: one scalar each.
      reducer: a concrete function of what there is so far and of one element of each array.
    """
    return list(
        gen_xla_ops.xla_variadic_reduce_v2(
            list(arrays), list(starts), dimensions_to_reduce=[0], reducer=reducer
        )
    )


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


def under_xla() -> bool:
    """Whether the current graph will be compiled with XLA as a whole."""
    return bool(control_flow_util.GraphOrParentsInXlaContext(ops.get_default_graph()))


def while_loop(
    condition: Callable[..., tf.Tensor], body: Callable[..., Any], loop_vars: Any
) -> Any:
    """`tf.while_loop` of which the body needs no constant from around it to compile, say an axis.

    TensorFlow otherwise finds out which of the loop's variables are constant, by going through the
    body and all loops in it once for each.
    """
    results = tf.while_loop(condition, body, loop_vars)
    first = tf.nest.flatten(results)[0]
    if isinstance(first, EagerTensor):
        return results
    op = first.op
    while op.type == "Identity":
        op = op.inputs[0].op
    if op.type not in ("While", "StatelessWhile"):
        return results  # A tape that is persistent has the loop in a function.
    op._set_attr("_xla_propagate_compile_time_consts", attr_value_pb2.AttrValue(b=False))
    return results


def gradient_function(name: str) -> Callable[..., Any]:
    """The gradient that a custom-gradient operation registered under a name."""
    return ops.gradient_registry.lookup(name)


class Converters:
    """TensorFlow's own batching rules, one by one, for one batch size and one graph."""

    def __init__(self, batch_size: int):
        with tf.Graph().as_default():  # nothing reads it
            index = tf.compat.v1.placeholder_with_default(0, shape=[])
        self._loop = pfor.PFor(index, batch_size, [], fallback_to_while_loop=False)

    @staticmethod
    def known(op_type: str) -> bool:
        return op_type in pfor._pfor_converter_registry

    def convert(
        self, op: tf.Operation, inputs: Sequence[tuple[tf.Tensor, bool]]
    ) -> list[tuple[tf.Tensor, bool]]:
        """Batch one operation.

        Args:
          op: the operation of the single-example graph.
          inputs: per input the tensor and whether the batch is on its axis 0.

        Returns:
          The same per output.

        Raises:
          NotConvertible: the rule does not cover these inputs, or it makes operations of them
            that TensorFlow refuses, a ValueError.
        """
        wrapped = [pfor.wrap(tensor, stacked) for tensor, stacked in inputs]
        rule = pfor._pfor_converter_registry[op.type]
        try:
            results = rule(pfor._PforInput(self._loop, op, wrapped))
        except ValueError as error:
            raise NotConvertible(str(error)) from error
        if isinstance(results, pfor.WrappedTensor):
            results = [results]
        if isinstance(results, tf.Operation):
            return []
        return [(r.t, r.is_stacked) for r in results]
