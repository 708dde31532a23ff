"""Keep arrays in buffers, where their elements are assigned one at a time.

An array is a value, so an assignment to an element makes another one, and a masked write of a whole
array costs as much as the array is large. A buffer is written to by scatter. So an array becomes a
buffer where some block gives it another element and has not made it. It is no array of a caller's,
and no call saves it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.op_traces import PutAt
from pcbatch.errors import Span
from pcbatch.ir.analysis import effects
from pcbatch.passes.rewrite import Names, tidy_types, with_operations
from pcbatch.passes.tracing import Restricted


def arrays_in_place(program: ir.StackProgram) -> ir.StackProgram:
    """Keep arrays whose elements are assigned in buffers."""
    chosen = _assigned(program) - _elsewhere(program)
    if not chosen:
        return program
    shapes = {name: program.types[name].shape for name in sorted(chosen)}
    taken = (*program.types, *program.shared, *program.buffers, *program.totals)
    change = _Change(shapes, dict(program.types), Names(taken))
    blocks = tuple(
        with_operations(block, [x for op in block.operations for x in change.operation(op)])
        for block in program.blocks
    )
    buffers = {
        name: ir.BufferType(math.prod(shape), ir.TensorType(program.types[name].dtype, ()))
        for name, shape in shapes.items()
    }
    types = {name: type_ for name, type_ in change.types.items() if name not in shapes}
    changed = dataclasses.replace(
        program, blocks=blocks, types=types, buffers={**program.buffers, **buffers}
    )
    return tidy_types(changed)


def _assigned(program: ir.StackProgram) -> set[str]:
    """The arrays that a block gives another element and has not made itself."""
    found: set[str] = set()
    for block in program.blocks:
        made: set[str] = set()
        for operation in block.operations:
            if _stays(operation):
                found |= set(operation.targets) - made
            else:
                made |= set(effects.writes(operation))
    return found


def is_put(operation: Any) -> TypeGuard[ir.Primitive]:
    """Whether an operation gives an array, its first argument, with another element."""
    if not isinstance(operation, ir.Primitive):
        return False
    fn = operation.fn.fn if isinstance(operation.fn, Restricted) else operation.fn
    return isinstance(fn, PutAt)


def _stays(operation: Any) -> TypeGuard[ir.Primitive]:
    """Whether one gives the array to the variable that had it."""
    return is_put(operation) and operation.args[0] == operation.targets[0]


def _elsewhere(program: ir.StackProgram) -> set[str]:
    """The variables that other operations than primitives read, assign or save."""
    found = {*program.inputs, *program.outputs, *program.tapes}
    for block in program.blocks:
        for operation in (*block.operations, block.terminator):
            if not isinstance(operation, ir.Primitive) or operation.batched:
                found |= {*effects.reads(operation), *effects.writes(operation)}
    return found


@dataclasses.dataclass
class _Change:
    """Rewrites operations.

    Attributes:
      shapes: of the arrays that are kept in buffers.
      types: of all variables; those that become needed are added.
      names: hands out names for them.
    """

    shapes: Mapping[str, tuple[int, ...]]
    types: dict[str, ir.TensorType]
    names: Names

    def operation(self, operation: Any) -> Iterator[Any]:
        """What stands in the place of an operation."""
        if _stays(operation) and operation.targets[0] in self.shapes:
            (buffer,), (_, *_, place, element) = operation.targets, operation.args
            yield ir.Store(buffer, place, element, operation.span)
            return
        if not isinstance(operation, ir.Primitive):
            yield operation
            return
        stored = [name for name in operation.targets if name in self.shapes]
        if not stored and not self.shapes.keys() & set(operation.args):
            yield operation
            return
        whole = {name: self._flat(name) for name in stored}
        fn = OnBuffers(
            operation.fn,
            tuple(self.shapes.get(name) for name in operation.args),
            tuple(name in whole for name in operation.targets),
        )
        targets = tuple(whole.get(name, name) for name in operation.targets)
        yield dataclasses.replace(operation, targets=targets, fn=fn)
        for name in stored:
            yield from self._store(name, whole[name], operation.span)

    def _flat(self, name: str) -> str:
        """A variable for all elements of an array."""
        shape, dtype = self.shapes[name], self.types[name].dtype
        return self._temporary(f"{name}.new", ir.TensorType(dtype, (math.prod(shape),)))

    def _temporary(self, wanted: str, type_: ir.TensorType) -> str:
        name = self.names.fresh(wanted)
        self.types[name] = type_
        return name

    def _store(self, name: str, value: str, span: Span) -> Iterator[Any]:
        """The operations that write all elements."""
        first = self._temporary(f"{name}.first", ir.TensorType("int32", ()))
        yield ir.Primitive((first,), _zero, (), "0", span)
        yield ir.Store(name, first, value, span, several=math.prod(self.shapes[name]))


def _zero() -> tuple[tf.Tensor]:
    return (tf.constant(0),)


@dataclasses.dataclass(frozen=True)
class OnBuffers:
    """A primitive's function of arrays that lie in buffers.

    Attributes:
      fn: of the arrays.
      shapes: by argument, the shape of the array; None for what is no buffer.
      flat: by result, whether it is written to a buffer.
    """

    fn: Callable[..., tuple[Any, ...]]
    shapes: tuple[tuple[int, ...] | None, ...]
    flat: tuple[bool, ...]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        pairs = zip(args, self.shapes, strict=True)
        results = self.fn(*(x if shape is None else _shaped(x, shape) for x, shape in pairs))
        found = zip(results, self.flat, strict=True)
        return tuple(_shaped(x, (math.prod(x.shape),)) if flat else x for x, flat in found)


def _shaped(x: tf.Tensor, shape: tuple[int, ...]) -> tf.Tensor:
    """A tensor in a shape, itself if it has it."""
    return x if tuple(x.shape) == shape else tf.reshape(x, shape)
