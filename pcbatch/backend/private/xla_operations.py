"""XLA's own operations in a graph, and whether and how XLA compiles what stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.compiler.tf2xla.ops import gen_xla_ops
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import ops
from tensorflow.python.ops import (
    control_flow_util,
)

from pcbatch.backend.private.eager_values import EagerTensor


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
