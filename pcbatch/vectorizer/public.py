"""`pcbatch.vectorize`: a function of one example, for a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.backend.private import graphs, xla_operations
from pcbatch.errors import ArgumentError
from pcbatch.semantics import pytree
from pcbatch.semantics.optional import Optional
from pcbatch.vectorizer.blocks import report, run_graph
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import Absent, Plain, Value, shared, stack, stacked


def vectorize(
    fn: Callable[..., Any], in_axes: Any = 0, *, strict: bool = False
) -> Callable[..., Any]:
    """Make a function of one example work on a batch.

    The code may contain conditionals, loops, `tf.TensorArray`, `tf.scan`, gradients and calls of
    other functions. All shapes are static, so that the result compiles under XLA, in forward and in
    reverse mode.

    Args:
      fn: takes (structures of) tensors of one example and returns a structure of tensors whose
        shapes do not depend on the example. Tensors that it captures are the same for all.
      in_axes: 0 where an argument has the batch on axis 0, None where it is the same for all
        members; one for all arguments, or one per argument, each of which may be a structure.
      strict: raise where an operation has no batched form, instead of running it in a loop over the
        members with a `VectorizationWarning`.

    Returns:
      A function of the batched arguments. Each tensor of its result has the batch on axis 0.
      Outside a `tf.function` every call traces `fn` anew; within one, `fn` is traced with it.

    Raises:
      ArgumentError: (when called) no argument is batched, or the batch sizes differ.
      VectorizationError: (when called) an operation can neither be vectorized nor looped over.
    """

    @functools.wraps(fn)
    def batched(*args: Any) -> Any:
        _check_values(fn, args)
        tensors = [tf.nest.map_structure(tf.convert_to_tensor, a) for a in args]
        flat = tf.nest.flatten(tensors)
        axes = _axes(fn, in_axes, tensors)
        size = _size(fn, flat, axes)
        if not tf.executing_eagerly():
            return _run(fn, tensors, axes, size, strict)
        graph = tf.function(lambda *given: _run(fn, given, axes, size, strict), autograph=False)
        # Called by way of its concrete function: every trace is wanted, so no word on retracing.
        return graph.get_concrete_function(*tensors)(*tensors)

    # A tf.function around it would read the signature of `fn` and hand on its default arguments.
    del batched.__wrapped__
    return batched


def _run(fn: Callable[..., Any], args: Any, axes: list[int | None], size: int, strict: bool) -> Any:
    flat = tf.nest.flatten(args)
    specs = [
        tf.TensorSpec(t.shape if axis is None else t.shape[1:], t.dtype)
        for t, axis in zip(flat, axes, strict=True)
    ]

    @tf.autograph.experimental.do_not_convert
    def member(*given: tf.Tensor) -> Any:
        return tf.nest.map_structure(pytree.dense, fn(*tf.nest.pack_sequence_as(args, given)))

    graph = graphs.trace(member, specs)
    session = Session(size, xla_operations.under_xla(), strict=strict)
    values: list[Value] = [
        shared(t) if axis is None else stacked(t) for t, axis in zip(flat, axes, strict=True)
    ]
    results = run_graph(session, graph, values)
    report(session)
    rows = [_rows(r, t, size) for r, t in zip(results, graph.outputs, strict=True)]
    return tf.nest.pack_sequence_as(graph.structured_outputs, rows, expand_composites=True)


def _check_values(fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Refuse what is None for some members, which a function of tensors has no way to ask."""
    for number, argument in enumerate(args):
        leaves, _ = pytree.flatten(argument, stop=Optional)
        if any(isinstance(leaf, Optional) for leaf in leaves):
            raise ArgumentError(
                f"{_name(fn)}: argument {number} has a pcbatch.Optional, which is None for some "
                "members\n"
                "help: pass .value and .has_value, or decorate the function with pcbatch.autobatch"
            )


def _rows(result: Value, tensor: tf.Tensor, size: int) -> tf.Tensor:
    if isinstance(result, Absent):
        return tf.zeros([size, *tensor.shape], tensor.dtype)
    assert isinstance(result, Plain)
    return tf.identity(stack(result, size))


def _axes(fn: Callable[..., Any], in_axes: Any, args: list[Any]) -> list[int | None]:
    """One axis per tensor."""
    if in_axes is None or isinstance(in_axes, int):
        in_axes = [in_axes] * len(args)
    if not isinstance(in_axes, (list, tuple)) or len(in_axes) != len(args):
        raise ArgumentError(
            f"{_name(fn)}: in_axes={in_axes!r} does not fit {len(args)} argument(s): "
            "give one axis, or one per argument"
        )
    found = []
    for number, (axes, argument) in enumerate(zip(in_axes, args, strict=True)):
        _, tree = pytree.flatten(argument)
        spread = pytree.spread(axes, tree, f"{_name(fn)}: in_axes of argument {number}")
        found += tf.nest.flatten(pytree.unflatten(tree, spread))
    return found


def _size(fn: Callable[..., Any], flat: list[tf.Tensor], axes: list[int | None]) -> int:
    shapes = [t.shape for t, axis in zip(flat, axes, strict=True) if axis == 0]
    if not shapes:
        raise ArgumentError(f"{_name(fn)}: no argument is batched: in_axes names none")
    for shape in shapes:
        if not shape.rank:
            raise ArgumentError(f"{_name(fn)}: a batched argument is a scalar: it has no axis 0")
    sizes = {shape[0] for shape in shapes}
    if len(sizes) != 1 or None in sizes:
        listed = ", ".join(str(s[0]) for s in shapes)
        raise ArgumentError(f"{_name(fn)}: the batch sizes are not one known number: {listed}")
    return int(sizes.pop())


def _name(fn: Callable[..., Any]) -> str:
    code = getattr(fn, "__code__", None)
    name = getattr(fn, "__qualname__", repr(fn))
    return name if code is None else f"{name} ({code.co_filename}:{code.co_firstlineno})"
