"""Write typed operations: the names of variables, and conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import BufferRef, Leaf, Shared, Static, Tensor, Value, carried, is_empty
from pcbatch.infer.failures import number_too_large
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.store import SharedTensors
from pcbatch.semantics import pytree
from pcbatch.semantics.numbers.widths import constant
from pcbatch.semantics.operators import DoesNotFit, fits


class Writer:
    """Collects the operations of one block of a typed function after the other."""

    def __init__(self, store: SharedTensors, rooms: Rooms):
        self.rooms = rooms
        self._operations: list[ir.CallOperation] = []
        self._types: dict[str, ir.TensorType] = {}
        self._versions: dict[str, dict[ir.TensorType, str]] = {}
        self._temporaries = 0
        self._store = store
        self._areas = rooms.areas()

    # --- Names -----------------------------------------------------------------------------

    def _name(self, variable: str, type_: ir.TensorType) -> str:
        versions = self._versions.setdefault(variable, {})
        if type_ not in versions:
            # A shared tensor or a buffer of the program may have the name of a variable.
            name, number = variable, 2
            while name in self._types or name in self._store.shared or name in self._areas:
                name, number = f"{variable}~{number}", number + 1
            versions[type_] = name
            self._types[name] = type_
        return versions[type_]

    def _leaf_name(self, variable: str, leaf: Leaf) -> str:
        if isinstance(leaf, Shared):
            return leaf.name
        type_ = carried(leaf)
        return self._name(variable, type_) if type_ else ""

    def operand(self, variable: str, value: Value) -> Operand:
        paths = pytree.paths(value.tree, variable)
        names = (self._leaf_name(p, x) for p, x in zip(paths, value.leaves, strict=True))
        return Operand(value, tuple(names))

    def _carried_names(self, variable: str, value: Value) -> list[str]:
        names = self.operand(variable, value).names
        return [n for n, x in zip(names, value.leaves, strict=True) if carried(x)]

    def _temporary(self, type_: ir.TensorType) -> str:
        self._temporaries += 1
        return self._name(f"%t{self._temporaries}", type_)

    # --- Operations ------------------------------------------------------------------------

    def _add(
        self,
        targets: Iterable[str],
        fn: Callable[..., tuple[Any, ...]],
        args: Iterable[str],
        text: str,
        span: Span,
        batched: bool = False,
    ) -> None:
        self._operations.append(ir.Primitive(tuple(targets), fn, tuple(args), text, span, batched))

    def _move(self, pairs: Sequence[tuple[str, str]], span: Span) -> None:
        if pairs:
            self._add([t for t, _ in pairs], ir.move, [n for _, n in pairs], "move", span)

    def _materialize(self, leaf: Leaf, name: str, wanted: ir.TensorType, span: Span) -> str:
        """A variable of the wanted type that holds the leaf's value."""
        if carried(leaf) == wanted:
            return name
        result = self._temporary(wanted)
        self._convert(result, leaf, name, wanted, span)
        return result

    def _convert(
        self, target: str, leaf: Leaf, name: str, wanted: ir.TensorType, span: Span
    ) -> None:
        dtype, shape = wanted.dtype, wanted.shape
        match leaf:
            case Static(value):
                if not fits(value, tf.as_dtype(dtype)):
                    does_not_fit = DoesNotFit(value, tf.as_dtype(dtype))
                    raise ProgramError(number_too_large(span, does_not_fit))
                self._constant(target, value, wanted, span)
            case Tensor(type_) if is_empty(type_):
                self._add([target], lambda: (tf.zeros(shape, dtype),), [], "zeros", span)
            case BufferRef(_, (room,)):
                self._constant(target, self.rooms.number(room), wanted, span)
            case BufferRef():
                self._move([(target, name)], span)
            case Shared(_, type_) if type_ == wanted:
                self._add([target], lambda x: (tf.identity(x),), [name], name, span)
            case _:
                cast = lambda x: (tf.cast(x, dtype),)  # noqa: E731
                self._add([target], cast, [name], f"{dtype}({name})", span)

    def _constant(self, target: str, value: Any, type_: ir.TensorType, span: Span) -> None:
        make = lambda: (constant(value, tf.as_dtype(type_.dtype), type_.shape),)  # noqa: E731
        self._add([target], make, [], repr(value), span)
