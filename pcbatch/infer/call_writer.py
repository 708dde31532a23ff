"""Write calls in typed call form: of functions, of their derivatives, and of the host."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.infer.allocation import Copy
from pcbatch.infer.buffer_writer import BufferWriter
from pcbatch.infer.calls import Operand
from pcbatch.infer.domain import WHICH, BufferRef, Static, Value, carried, empty_type
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.slopes import TANGENT, Along, With, positions, slopes, tangents
from pcbatch.infer.store import SharedTensors
from pcbatch.semantics import pytree

if TYPE_CHECKING:
    from pcbatch.infer.host import Planned
    from pcbatch.infer.instance import Instance, UnrolledBlock

Edge = tuple["UnrolledBlock", list[tuple[str, Value | None, Value]]]
"""A place and, per variable that is live there, its value here (None: it has none) and there."""
Way = Edge | int
"""Where a member goes on for which Python raises: an edge to a handler, or out of the function with
the number of the exception."""


@dataclasses.dataclass(frozen=True)
class Other:
    """Whether what a call gives back is not the exception of a number."""

    number: int

    def __call__(self, which: tf.Tensor) -> tuple[tf.Tensor]:
        return (tf.not_equal(which, self.number + 1),)


@dataclasses.dataclass(frozen=True)
class Nothing:
    """What stands for a result that there is not."""

    type: ir.TensorType

    def __call__(self) -> tuple[tf.Tensor]:
        return (tf.zeros(self.type.shape, self.type.dtype),)


class CallWriter(BufferWriter):
    """Writes calls.

    Attributes:
      callees: the functions that are called.
    """

    def __init__(self, store: SharedTensors, rooms: Rooms):
        super().__init__(store, rooms)
        self.callees: list[Instance] = []

    def divert(self, condition: str, way: Way, span: Span) -> None:
        """Go on where a condition holds, and leave the block by another way where not."""
        raise NotImplementedError

    def call(
        self,
        op: ir.Call,
        target: Instance,
        arguments: Mapping[str, Operand],
        result: Value | None = None,
        copies: Sequence[Copy] = (),
        saved: Sequence[BufferRef] = (),
        ways: Sequence[tuple[int, Way]] = (),
        wrt: tuple[With, ...] = (),
        along: Along | None = None,
    ) -> None:
        """Emit a call.

        Args:
          op: the call.
          target: the function.
          arguments: by parameter.
          result: what it gives; None if it never returns.
          copies: the buffers in it that are the callee's, of which the caller makes its own.
          saved: the buffers that have to be afterwards as they were.
          ways: where members go on for which it raises, by the number of the exception.
          wrt: with regard to which arguments the callee is differentiated, if it is.
          along: which arguments have tangents, if there are any.
        """
        span = op.span
        args = [
            self._materialize(leaf, name, type_, span)
            for param in target.source.params
            for leaf, name, type_ in zip(
                arguments[param].value.leaves, arguments[param].names,
                map(carried, target.params[param].leaves), strict=True,
            )
            if type_
        ]  # fmt: skip
        kept = [self.contents(x, "", span) for x in saved]
        found = self._results(op.targets[0], target, copies) if result else []
        given = list(filter(None, found))
        which = self._temporary(WHICH) if target.raised else ""
        given += [which] if which else []
        given += self._slopes(target, wrt)
        found_wrt = positions(target, wrt) if wrt else None
        found_along = None
        if along is not None:
            found_along = positions(target, along.arguments)
            types = [self._param_type(target, i) for i in found_along]
            args += [
                self._materialize(leaf, name, type_, span)
                for (leaf, name), type_ in zip(along.tangents, types, strict=True)
            ]
            given += self._carried_names(TANGENT, tangents(target))
        call = ir.Call(tuple(given), target.name, tuple(args), (), span, found_wrt, found_along)
        self._operations.append(call)
        copied = [self.contents(x.old, found[x.leaf], span) for x in copies]
        for reference, contents in zip(saved, kept, strict=True):
            self.write(reference, self.number(reference, span), contents, span)
        for number, way in ways:
            condition = self._temporary(ir.TensorType("bool", ()))
            self._add([condition], Other(number), [which], f"exception {number}", span)
            self.divert(condition, way, span)
        if result:
            self.own_copies(self.operand(op.targets[0], result), copies, copied, found, span)
        if target not in self.callees:
            self.callees.append(target)

    def gradient(
        self,
        op: ir.Call,
        target: Instance,
        arguments: Mapping[str, Operand],
        wrt: tuple[With, ...],
        varies: bool,
        ways: Sequence[tuple[int, Way]],
    ) -> None:
        """Emit a call that differentiates.

        Args:
          op, target, arguments, ways: as for a call.
          wrt: the arguments with regard to which.
          varies: the value depends on the member.
        """
        self.call(op, target, arguments, target.result, (), (), ways, wrt if varies else ())
        if not varies:
            names = self._slopes(target, wrt)
            types = [self._types[name] for name in names]
            for name, type_ in zip(names, types, strict=True):
                self._add([name], Nothing(type_), [], "0", op.span)

    @staticmethod
    def _param_type(target: Instance, position: int) -> ir.TensorType:
        """The type of a variable that a function is given."""
        leaves = (x for name in target.source.params for x in target.params[name].leaves)
        return list(filter(None, map(carried, leaves)))[position]

    def _slopes(self, target: Instance, wrt: tuple[With, ...]) -> list[str]:
        values = slopes(target, wrt).items()
        return [name for variable, value in values for name in self._carried_names(variable, value)]

    def _results(self, variable: str, target: Instance, copies: Sequence[Copy]) -> list[str]:
        """By leaf of what a call gives, the variable that receives it; "" for none."""
        assert target.result is not None
        own = {copy.leaf for copy in copies}
        types = map(carried, target.result.leaves)
        paths = pytree.paths(target.result.tree, variable)
        return [
            (self._temporary(type_) if i in own else self._name(path, type_)) if type_ else ""
            for i, (path, type_) in enumerate(zip(paths, types, strict=True))
        ]

    def host(self, op: ir.Call, planned: Planned) -> None:
        targets = self._carried_names(op.targets[0], planned.result)
        args = tuple(
            self.argument(leaf, name, op.span)
            for o in planned.operands
            for leaf, name in zip(o.value.leaves, o.names, strict=True)
            if not isinstance(leaf, Static) and not empty_type(leaf)
        )
        code, back = planned.code, planned.gradient
        call = ir.HostCall(tuple(targets), code, args, code.name, op.span, back)
        self._operations.append(call)
