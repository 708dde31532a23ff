"""What calls of functions do to the variables of a block."""

from __future__ import annotations

import dataclasses
import inspect
from types import CodeType
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import held, with_copies
from pcbatch.infer.callees import behind, is_straight
from pcbatch.infer.calls import (
    Argument,
    Callee,
    Operand,
    bind,
    expand,
    unpacked,
)
from pcbatch.infer.changing import shown, viewed
from pcbatch.infer.copied_rows import rooms_of
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.evaluate import plain_call
from pcbatch.infer.heap import refers
from pcbatch.infer.host import plan
from pcbatch.infer.lending import HANDED_BACK
from pcbatch.infer.list_plans import Replan
from pcbatch.infer.maybe_none import holds_chosen, holds_maybe
from pcbatch.infer.refusals import of_misuse
from pcbatch.infer.starred import Starred
from pcbatch.infer.taking_back import TakesBack
from pcbatch.semantics.chosen_texts import used
from pcbatch.semantics.collected import ELEMENTS, returns_iterator
from pcbatch.semantics.host import HostFunction
from pcbatch.semantics.programs import guard_of
from pcbatch.semantics.references import for_all_members
from pcbatch.semantics.rounds import NeedsRounds, OnlyInProgram
from pcbatch.semantics.transformations import ForwardMode, Gradient, Transformed

_DECIDES = (NeedsRounds, OnlyInProgram, tf.errors.OperatorNotAllowedInGraphError)
"""What says that a function is one of the program, whatever its lists turn out to be."""


class CallSteps(TakesBack, Starred):
    """Runs the calls of a block."""

    def _call(self, op: ir.Call) -> bool:
        function = self.operand(op.callee, op.span)
        op = self._with_elements(op, function)
        if method := self.method_of_list(function.value):
            reached = self.call_method(op, method, function)
            if reached is not None:
                return reached
        leaf = function.value.leaf
        target = leaf.value if isinstance(leaf, Static) else None
        if isinstance(target, ForwardMode):
            return self.call_tangent(op, target)
        callee, brought = behind(self.engine, function)
        is_inside = isinstance(target, Transformed)  # the call in what a transformation has made
        made = target if is_inside else callee and callee.transformed
        if made and isinstance(made.by, Gradient):
            return self.call_gradient(op, made, brought)
        if callee and (is_inside or not self._is_straight(op, callee, function.value)):
            return self._guarded(op, callee) and self._call_instance(op, callee, brought)
        if leaf is not None and (not isinstance(leaf, Static) or not callable(target)):
            raise ProgramError(report.NotCallable(op.span, op.callee, str(function.value)))
        if isinstance(target, HostFunction):
            self._host(op, target)
            return True
        batched = self.engine.frontend.is_batched(target)
        if batched:
            self._check_for_all(op)
        fn, deferred = plain_call(op.keywords, batched), self.engine.deferred
        before = len(deferred)
        try:
            reached = self._primitive(op, fn, (op.callee, *op.args), batched)
        except ProgramError:
            if callee is None:
                raise
        else:
            decides = any(isinstance(x.__cause__, _DECIDES) for x in deferred[before:])
            if reached or callee is None or not decides:
                return reached
            del deferred[before:]
        self._is_no_straight_call(callee.function.__code__)
        return self._guarded(op, callee) and self._call_instance(op, callee, brought)

    def _is_no_straight_call(self, code: CodeType) -> None:
        """Note a function that is one of the program.

        Raises:
          Replan: it is found where the program is written down, which has no such function yet.
        """
        self.engine.not_straight.add(code)
        if self.emitter:
            self.engine.found_late.add(code)
            raise Replan

    def _with_elements(self, op: ir.Call, function: Operand) -> ir.Call:
        """The call, without a list for the elements where no generator function is called.

        Raises:
          ProgramError: it is a generator function of Python's, which is to be the program's.
        """
        if ELEMENTS not in op.keywords:
            return op
        callee, _ = behind(self.engine, function)
        leaf = function.value.leaf
        target = leaf.value if isinstance(leaf, Static) else None
        called: Any = callee.function if callee else getattr(target, "__func__", target)
        if (returns := returns_iterator(called)) or inspect.isgeneratorfunction(called):
            if callee is None:
                kind = "iterator" if returns else "generator"
                raise ProgramError(report.IteratorKept(op.span, kind), (called.__code__,))
            return op
        given = [(a, k) for a, k in zip(op.args, op.keywords, strict=True) if k != ELEMENTS]
        args, keywords = zip(*given, strict=True) if given else ((), ())
        return dataclasses.replace(op, args=args, keywords=keywords)

    def _is_straight(self, op: ir.Call, callee: Callee, function: Value) -> bool:
        if not callee.is_leaf or callee.function.__code__ in self.engine.not_straight:
            return False
        values = [function, *(self.read(a, op.span) for a in op.args)]
        return is_straight(self.engine, callee, values)

    def _guarded(self, op: ir.Call, callee: Callee) -> bool:
        """Check what a function of the library takes, so that a fault is at the user's line."""
        guard = guard_of(callee.function)
        if guard is None:
            return True

        def check(*values: Any) -> tuple[Any]:
            positional, named = unpacked(values, op.keywords)
            return guard(*positional, **named)

        checked = ir.Primitive(op.targets, check, op.args, "check", op.span)
        return self._primitive(checked, check, op.args)

    def _host(self, op: ir.Call, function: HostFunction) -> None:
        self.check_number_of_arguments(op)
        given = [
            (arg, keyword.removeprefix("?") if keyword else None)
            for arg, keyword in zip(op.args, op.keywords, strict=True)
            if not (keyword or "").startswith("?") or self._is_bound(arg)
        ]
        self._check_for_all(op)
        operands = [self.operand(arg, op.span) for arg, _ in given]
        for operand in operands:
            if holds_chosen(operand.value.tree):
                raise ProgramError(of_misuse(op.span, used(), ()))
        positional, named = expand(operands, [keyword for _, keyword in given])
        planned = plan(function, positional, named, op.span)
        self.assign(op.targets[0], planned.result, op.span)
        if self.emitter:
            self.emitter.host(op, planned)

    def _check_for_all(self, op: ir.Call) -> None:
        """Refuse what has no array as an argument of a call for all members."""
        for arg in filter(self._is_bound, op.args):
            tree = self.read(arg, op.span).tree
            if holds_maybe(tree):
                raise ProgramError(report.NoneForSome(op.span, shown(arg)))
            if refers(tree):
                raise ProgramError(of_misuse(op.span, for_all_members(tree), ()))

    def _call_instance(self, op: ir.Call, callee: Callee, brought: list[Argument]) -> bool:
        with_rest = self.with_rest(op, callee, brought)
        if with_rest is None:
            return False
        op = with_rest
        own = [self.operand(a, op.span) for a in op.args]
        operands = [*(operand for operand, _ in brought), *own]
        keywords = (*(keyword for _, keyword in brought), *op.keywords)
        arguments = bind(callee, operands, keywords, op.span, self.engine.store)
        if self.emitter:
            names = self._names_of(op, callee, keywords, bool(brought))
        given, arguments = arguments, self.handed(callee, arguments, op.span)
        target = self.instance_called(callee, arguments, op.span)
        self.note_handed(op, callee, target, given)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        taking = dataclasses.replace(op, targets=(HANDED_BACK,)) if target.lent else op
        if self.emitter:
            self.note_call(taking, target, names)
        ways = self.ways_out(target)
        if target.result is None:
            if self.emitter:
                self.emitter.call(taking, target, arguments, ways=ways)
                self.emitter.unreachable(op.span)
            return False
        for value in self.kept(op.targets).values():
            for room in viewed(value):
                meanwhile = self.engine.lists.viewed.setdefault(room, set())
                meanwhile.add(callee.function.__code__)
            self.engine.lists.keep(rooms_of(value))
        self.note_put_by_call(arguments.values(), op.span)
        copies = self.copies(taking, target, target.result)
        result = with_copies(target.result, copies)
        self.engine.lists.copied(copies)
        self.engine.handing.copy(copies)
        for _, leaf in held({"": result}):
            self.engine.rooms.note(leaf)
        saved = self.saved(taking, target, arguments)
        named = result
        if not target.lent:
            named = self.named_by_call(result, arguments, callee, op.span)
        self.assign(taking.targets[0], named, op.span)
        if self.emitter:
            self.emitter.call(taking, target, arguments, result, copies, saved, ways)
        if target.lent:
            self.give_back(op, target, arguments, bool(ways))
        return True

    def _names_of(
        self, op: ir.Call, callee: Callee, keywords: tuple[str | None, ...], brings: bool
    ) -> dict[str, tuple[str, ...]]:
        """By parameter, what the leaves are called that it is given."""
        named = [self.with_nodes(a, self.operand(a, op.span)) for a in (op.callee, *op.args)]
        brought = behind(self.engine, named[0])[1] if brings else []
        operands = [*(operand for operand, _ in brought), *named[1:]]
        bound = bind(callee, operands, keywords, op.span, self.engine.store)
        return {name: operand.names for name, operand in bound.items()}
