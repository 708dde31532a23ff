"""What one trace of a primitive tells: which arguments its results depend on, and what it costs."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend import op_traits
from pcbatch.backend.op_traces import OpTrace, Recorded, record
from pcbatch.passes.rewrite import Selected

CHEAP = 64
"""Up to so many elements computed for one member, running a primitive for nothing is cheap.

A block costs its mask, its counters and a masked write per register, some ten passes over `[B]`.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class PrimitiveTrace:
    """What is known of a primitive.

    Attributes:
      needed: the positions of the arguments that its results depend on.
      elements: how many elements it computes for one member.
      harmless: no values of its arguments make it fail.
      flat: its derivative is finite, whatever they are.
    """

    needed: tuple[int, ...]
    elements: int
    harmless: bool
    flat: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Restricted:
    """The primitive that takes only the arguments it needs.

    Attributes:
      fn: the primitive's function.
      positions: which arguments are given, in order.
      types: the types of all arguments of `fn`; those not given are zero.
    """

    fn: Callable[..., tuple[Any, ...]]
    positions: tuple[int, ...]
    types: tuple[ir.TensorType, ...]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        given = dict(zip(self.positions, args, strict=True))
        zeros = functools.cache(lambda type_: tf.zeros(type_.shape, type_.dtype))
        types = enumerate(self.types)
        return self.fn(*(given[i] if i in given else zeros(type_) for i, type_ in types))


class Knowledge:
    """Knows nothing about primitives: each needs all its arguments, and none is cheap."""

    def is_cheap(self, primitive: ir.Primitive) -> bool:
        """Say whether the primitive cannot fail, and is cheap to repeat or to run for nothing."""
        return False

    def is_steep(self, primitive: ir.Primitive) -> bool:
        """Say whether the primitive's derivative may be infinite, or none."""
        return True

    def needed(
        self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]
    ) -> tuple[int, ...]:
        """List the positions of the arguments that the results depend on."""
        return tuple(range(len(primitive.args)))

    def piece(self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]) -> OpTrace | None:
        """The primitive's graph for one member, where it is known."""
        return None


class Traced(Knowledge):
    """Learns about primitives by tracing each once, for one member.

    Args:
      program: the program whose primitives may be asked about; passes may have renamed their
        variables or restricted their targets and arguments meanwhile.
    """

    def __init__(self, program: ir.Program):
        self._traces: dict[
            tuple[Callable[..., Any], tuple[ir.TensorType, ...]], PrimitiveTrace
        ] = {}
        self._pieces: dict[tuple[Callable[..., Any], tuple[ir.TensorType, ...]], OpTrace] = {}
        self._cheap: dict[Callable[..., Any], bool] = {}
        self._flat: dict[Callable[..., Any], bool] = {}
        for function in program.functions.values():
            types = argument_types(function.types, program)
            for block in function.blocks:
                for operation in block.operations:
                    if isinstance(operation, ir.Primitive) and operation.fn is not ir.move:
                        self._judge(operation, types)

    def is_cheap(self, primitive: ir.Primitive) -> bool:
        return self._cheap.get(_written(primitive.fn), True)

    def is_steep(self, primitive: ir.Primitive) -> bool:
        return not self._flat.get(_written(primitive.fn), True)

    def needed(
        self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]
    ) -> tuple[int, ...]:
        if primitive.batched or primitive.fn is ir.move or isinstance(primitive.fn, Restricted):
            return super().needed(primitive, types)
        return self._trace(primitive, types).needed

    def piece(self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]) -> OpTrace | None:
        if primitive.batched or isinstance(_written(primitive.fn), Restricted):
            return None
        return self._piece(primitive.fn, tuple(types[name] for name in primitive.args))

    def _piece(self, fn: Callable[..., Any], arguments: tuple[ir.TensorType, ...]) -> OpTrace:
        key = (fn, arguments)
        if key not in self._pieces:
            self._pieces[key] = _piece(fn, arguments)
        return self._pieces[key]

    def _judge(self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]) -> None:
        """Remember whether the primitive is cheap, wherever its function is used."""
        cheap = flat = False
        if not primitive.batched:
            known = self._trace(primitive, types)
            cheap, flat = known.harmless and known.elements <= CHEAP, known.flat
        written = _written(primitive.fn)
        self._cheap[written] = cheap and self._cheap.get(written, True)
        self._flat[written] = flat and self._flat.get(written, True)

    def _trace(self, primitive: ir.Primitive, types: Mapping[str, ir.TensorType]) -> PrimitiveTrace:
        arguments = tuple(types[name] for name in primitive.args)
        key = (primitive.fn, arguments)
        if key not in self._traces:
            self._traces[key] = read(self._piece(primitive.fn, arguments))
        return self._traces[key]


def _written(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The user's primitive inside the wrappers that passes have put around it."""
    while isinstance(fn, Selected | Restricted):
        fn = fn.fn
    return fn


def argument_types(
    types: Mapping[str, ir.TensorType], program: ir.Program | ir.StackProgram
) -> dict[str, ir.TensorType]:
    """The types of everything that a primitive may name: variables, shared values, buffers."""
    buffers = {
        name: ir.TensorType(buffer.element.dtype, (buffer.length, *buffer.element.shape))
        for name, buffer in program.buffers.items()
    }
    return {**buffers, **program.shared, **types}


def trace(fn: Callable[..., Any], arguments: tuple[ir.TensorType, ...]) -> PrimitiveTrace:
    """Trace a primitive for one member; inference has done it for most of them already."""
    return read(_piece(fn, arguments))


def joins(
    fn: Callable[..., Any], arguments: tuple[ir.TensorType, ...], outputs: Iterable[int]
) -> bool:
    """Say whether some outputs of a primitive can be differentiated together.

    Of one that nothing uses the adjoint is zero. What is only on the way to such outputs is not
    differentiated, though its derivative be infinite. So what is on the way to some of them only
    must have a derivative that is finite, whatever the arguments are.
    """
    piece = _piece(fn, arguments)
    ways = [dataclasses.replace(piece, outputs=(piece.outputs[i],)).reached() for i in outputs]
    apart = set().union(*ways) - set(ways[0]).intersection(*ways)
    return all(op.type in op_traits.FINITE_SLOPES for op in apart)


def captures(fn: Callable[..., Any], arguments: tuple[ir.TensorType, ...]) -> tuple[Any, ...]:
    """The tensors, and the handles of variables, that a primitive reads by itself."""
    piece = _piece(fn, arguments)
    # What an earlier trace in the same graph has captured is not among the piece's operations.
    inputs = {id(x) for op in piece.reached() for x in op.inputs}
    graph = piece.outputs[0].graph
    return tuple(outer for outer, inner in graph.captures if id(inner) in inputs)


def is_read(value: Any, capture: Any) -> bool:
    """Say whether a capture is a tensor, or the handle of a variable."""
    return capture is (value.handle if isinstance(value, tf.Variable) else value)


def read(piece: OpTrace) -> PrimitiveTrace:
    """Read the graph of a primitive for one member."""
    reached = piece.reached()
    work = [op for op in reached if op.type not in op_traits.FREE]
    return PrimitiveTrace(
        needed=tuple(i for i, x in enumerate(piece.inputs) if x.op in reached),
        elements=sum(_elements(op) for op in work),
        harmless=all(map(_is_harmless, reached)),
        flat=all(op.type in op_traits.FINITE_SLOPES for op in reached),
    )


def _piece(fn: Callable[..., Any], arguments: tuple[ir.TensorType, ...]) -> OpTrace:
    match fn:
        case Recorded(piece=piece):
            return piece
        case Selected(fn=inner, positions=positions):
            whole = _piece(inner, arguments)
            return dataclasses.replace(whole, outputs=tuple(whole.outputs[i] for i in positions))
    return record(fn, tuple((type_.shape, type_.dtype) for type_ in arguments))


def _elements(op: tf.Operation) -> int:
    """How many elements the operation writes or reads; as many as matter more."""
    tensors = (*op.inputs, *op.outputs)
    sizes = [math.prod(t.shape) if t.shape.is_fully_defined() else CHEAP + 1 for t in tensors]
    return max(sizes, default=1)


def _is_harmless(op: tf.Operation) -> bool:
    if op.type == "StridedSlice":  # of a place that is fixed
        return all(t.op.type == "Const" for t in list(op.inputs)[1:])
    if op.type in op_traits.QUOTIENTS:
        divisor = op.inputs[1]
        known = tf.get_static_value(divisor)
        # The processor's division fails for 0, and for the smallest integer by -1.
        return divisor.dtype.is_floating or (
            known is not None and bool(np.all((known != 0) & (known != -1)))
        )
    return op.type in op_traits.HARMLESS
