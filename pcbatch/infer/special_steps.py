"""Operations and assignments that are calls of methods of the user's, see `special_operations`."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.changing import NONE
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.heap_steps import HeapSteps
from pcbatch.infer.kinds import is_list, is_object
from pcbatch.semantics import prelude, pytree
from pcbatch.semantics.references import is_reference_tree, kind_of_tree
from pcbatch.semantics.special import is_users
from pcbatch.semantics.special_operations import Chosen, Operation
from pcbatch.semantics.static_values import AttributeName

if TYPE_CHECKING:
    from collections.abc import Sequence


class SpecialSteps(HeapSteps):
    """Calls methods that an operation means, or an assignment."""

    def ask(self, op: ir.Primitive) -> bool | None:
        """Run an operation that is a call of the program; None for any other primitive."""
        asked: tuple[Operation, tuple[str, ...]] | None = getattr(op.fn, "asks", None)
        if asked is None:
            return None
        operation, names = asked
        chosen = operation.chosen(tuple(_class(self.read(name, op.span)) for name in names))
        if chosen is None or self.engine.frontend.callee(chosen.function) is None:
            return None
        reached = self._method(chosen.function, op.targets, _ordered(chosen, names), op.span)
        if not reached or chosen.after is None:
            return reached
        fn = _After(chosen.after)
        return self._primitive(
            ir.Primitive(op.targets, fn, op.targets, op.text, op.span), fn, op.targets
        )

    def assigned_by_method(self, op: ir.Store) -> bool | None:
        """Run an assignment that a property, or `__setitem__`, says; None for any other."""
        kind = _class(self.read(op.buffer, op.span))
        key = self.read(op.index, op.span).leaf
        if kind is None:
            return None
        if isinstance(key, Static) and isinstance(key.value, AttributeName):
            function = getattr(inspect.getattr_static(kind, key.value, None), "fset", None)
            args: tuple[str, ...] = op.buffer, op.value
        else:
            function = inspect.getattr_static(kind, "__setitem__", None)
            args = op.buffer, op.index, op.value
        if not is_users(function):
            return None
        if op.augmented and kind in prelude.CLASSES and is_list(self.read(op.value, op.span).tree):
            return True  # the list has changed in place, and is where it was
        if self.engine.frontend.callee(function) is None:
            raise ProgramError(report.AttributeOfObject(op.span, op.text), (function.__code__,))
        return self._method(function, (NONE,), args, op.span)

    def _method(
        self,
        function: types.FunctionType,
        targets: tuple[str, ...],
        args: Sequence[str],
        span: Span,
    ) -> bool:
        callee = self.engine.frontend.callee(function)
        assert callee is not None
        call = ir.Call(targets, args[0], tuple(args), (None,) * len(args), span)
        return self._call_instance(call, callee, [])


@dataclasses.dataclass(frozen=True)
class _After:
    """A primitive's function that makes the result of an operation of what a method gives."""

    function: Any

    def __call__(self, value: Any) -> tuple[Any]:
        return (self.function(value),)


def _ordered(chosen: Chosen, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(reversed(names)) if chosen.swapped else names


def _class(value: Value) -> type | None:
    """The class of an object of the user's; None for anything else."""
    if is_reference_tree(value.tree):
        return kind_of_tree(value.tree)
    if isinstance(value.tree, pytree.Node):
        return value.tree.type if is_object(value.tree) else None
    known = value.leaf.value if isinstance(value.leaf, Static) else None
    is_plain_value = known is None or isinstance(known, (type, types.ModuleType))
    return None if is_plain_value else type(known)
