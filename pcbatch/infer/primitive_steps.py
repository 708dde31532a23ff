"""What primitives do to the variables of a block."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import with_rooms
from pcbatch.infer.array_steps import nodes
from pcbatch.infer.calls import (
    Operand,
    children,
    constant,
)
from pcbatch.infer.changing import NONE, ListChange
from pcbatch.infer.copied_rows import has_copies, new_as_row, with_rows
from pcbatch.infer.differentiating import Differentiates
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.emit import Emitter
from pcbatch.infer.engine import Engine
from pcbatch.infer.evaluation import Evaluation
from pcbatch.infer.failures import exception_of
from pcbatch.infer.fields import FieldChanges, stores_named
from pcbatch.infer.instance import Binding, Instance, UnrolledBlock
from pcbatch.infer.kinds import is_list
from pcbatch.infer.list_values import child_values, data_of, is_static_list, layout_of
from pcbatch.infer.noting import Noting
from pcbatch.infer.provenance import holds_twice, provenance
from pcbatch.infer.unbound import NoValue
from pcbatch.semantics.indexing import ChoosesRow
from pcbatch.semantics.lists.dense import LooseRows
from pcbatch.semantics.lists.fresh import DEEP, is_fresh, made_together, within
from pcbatch.semantics.lists.making import HoldsLists
from pcbatch.semantics.maybe_none import settled_element
from pcbatch.semantics.none_or_value import is_maybe


class PrimitiveSteps(Differentiates, FieldChanges, Noting):
    """Runs the primitives of a block."""

    def __init__(
        self, engine: Engine, instance: Instance, place: UnrolledBlock, emitter: Emitter | None
    ):
        super().__init__(engine, instance, place)
        self.emitter = emitter

    def read(self, name: str, span: Span) -> Value:
        if name in self.instance.source.free:
            return self.engine.free(self.instance, name, span)
        binding = self.env.get(name)
        if binding is None or binding.value is None:
            code = self.instance.callee.function.__code__
            without = NoValue(code, name, self.instance.source)
            raise ProgramError(report.MaybeUnbound(span, name)) from without
        return binding.value

    def operand(self, name: str, span: Span) -> Operand:
        value = self.read(name, span)
        return self.emitter.operand(name, value) if self.emitter else constant(value)

    def assign(self, name: str, value: Value, span: Span) -> None:
        self.env[name] = Binding(value, span)

    def _is_bound(self, name: str) -> bool:
        binding = self.env.get(name)
        return binding is not None and binding.value is not None

    def _move(self, op: ir.Primitive) -> None:
        operands = [self.operand(a, op.span) for a in op.args]
        for target, operand in zip(op.targets, operands, strict=True):
            self.assign(target, operand.value, op.span)
        if self.emitter:
            self.note_moves(op, [operand.value for operand in operands])
            self.emitter.moves(op.targets, operands, op.span)

    def _may_be_none(self, name: str, span: Span) -> bool:
        """Whether a variable is None, or may be, as far as is known."""
        if not self._is_bound(name):
            return True
        value = self.read(name, span)
        return value.leaf == Static(None) or is_maybe(value.tree)

    def _settle(self, op: ir.Primitive) -> bool:
        """Have a variable that has been found not to be None be the value; whether it goes on."""
        name, *witness = op.args
        if not self._is_bound(name) or not is_maybe(self.read(name, op.span).tree):
            return True
        if any(self._may_be_none(variable, op.span) for variable in witness):
            return True
        if op.fn is settled_element:
            return self._primitive(op, op.fn, (name,))
        operand = self.operand(name, op.span)
        there, value = children(operand)
        if self.emitter:
            found = self.nodes(name, operand.value)[len(there.names) :]
            pairs = zip(nodes(name, value.value), found, strict=True)
            self.note_pairs(op.targets, [(new, old) for new, old in pairs if new and old], op.span)
        self.assign(name, value.value, op.span)
        if self.emitter:
            self.emitter.moves(op.targets, [value], op.span)
        return True

    def _primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[str, ...],
        batched: bool = False,
    ) -> bool:
        if extending := getattr(fn, "extending", None):
            name, added, symbol = extending
            if method := self.extends(name, symbol, op.span):
                reached = self._extend(name, method, symbol, added(), op.span)
                if reached and op.targets != (name,):
                    self._move(ir.Primitive(op.targets, ir.move, (name,), name, op.span))
                return reached
        operands = [self.operand(a, op.span) for a in args]
        values = tuple(o.value for o in operands)
        name = f"{self.instance.name}.{op.targets[0]}"
        makes = self.makes(op, fn)
        if makes is not None and makes.at(0) is DEEP and any(map(holds_twice, values)):
            makes = None  # what is there twice is there twice in a deep copy, too
        fn = self.engine.lists.making(
            fn, makes, lambda path: self.site(path, args[0] if args else "")
        )
        try:
            outcome: Evaluation = self.engine.evaluate(fn, values, op.span, name, batched, args)
        except ProgramError as error:
            if isinstance(holds := error.__cause__, HoldsLists):
                site = self.site(holds.path, args[0] if args else "")
                self.engine.lists.write(within(frozenset({site})), grows=holds.grows)
            if isinstance(error.__cause__, LooseRows):
                self._make_rows(values)
            self.refuse_elements(error, op.span)
            if isinstance(error.__cause__, ChoosesRow):
                self._keep_rows(values)
            return self._fails(error, values, op.span)
        self.may_raise(outcome, op.span)
        makings = self.makings(op.targets, outcome.values)
        given = outcome.values
        if any(map(has_copies, values)):
            given = tuple(x if is_fresh(makes, k) else new_as_row(x) for k, x in enumerate(given))
        results = tuple(with_rooms(value, makings) for value in given)
        self.note_hidden(outcome.hidden, op.span)
        if owner := getattr(fn, "of_part", ""):
            self.note_array(owner, self.read(owner, op.span), outcome.values[0], op.span)
        if any(map(stores_named, results)):
            self.note_copies(values, op.span)
        if makes is not None:
            results = self.before_made(results)
        for k, (target, value) in enumerate(zip(op.targets, results, strict=True)):
            part = makes.at(k) if makes is not None else None
            self.assign(target, self.noted(value, part, (k,), target), op.span)
        if outcome.twice:
            self.note_twice(results, op.span)
        for value in results:
            for place in outcome.rows:
                self.note_row(values[place], value, op.span)
            for place in outcome.shared:
                self.note_row(values[place], value, op.span, mark=with_rows)
        if self.emitter:
            self._check_own(op, args, values, outcome)
            self.note_primitive(op, args, values, outcome)
            self.emitter.primitive(op, fn, operands, outcome, results, makings, batched)
        return True

    def _check_own(
        self,
        op: ir.Primitive | ir.Call,
        args: tuple[str, ...],
        values: tuple[Value, ...],
        outcome: Evaluation,
    ) -> None:
        """Refuse to write to an array that a function of the program has, too."""
        given = isinstance(op, ir.Primitive) and getattr(op.fn, "of_parameter", False)
        if given and self.instance.callers and outcome.values[0].leaf == Static(True):
            raise ProgramError(report.StoreTarget(op.span, args[0], str(values[0])))

    def _extend(self, name: str, method: str, symbol: str, added: ir.Primitive, span: Span) -> bool:
        """Run `name op= expression` of a list, a set, ... of the member."""
        if not self._primitive(added, added.fn, added.args):
            return False
        target, values = self.operand(name, span), self.operand(added.targets[0], span)
        changing, more = self.changing(method, (), target)
        if method.startswith("set."):  # the operator takes sets only
            changing = dataclasses.replace(changing, options=(("symbol", symbol),))
        read = (name, added.targets[0])
        made = ListChange(NONE, changing, self.contents(target), [values], read, span, more)
        return self.change(made)

    def _keep_rows(self, values: tuple[Value, ...]) -> None:
        """Have the lists in a list of known length, which one expression has made, be its rows.

        Raises:
          Replan: they have not been until now.
        """
        lists = self.engine.lists
        for value in filter(lambda value: is_static_list(value.tree), values):
            where, rows = lists.of(value), [row for _, row in child_values(value)]
            fresh = (is_list(row.tree) and made_together(where, lists.of(row)) for row in rows)
            if rows and all(fresh):
                grows = any(layout_of(row).grows[-1] for row in rows)
                lists.write(within(where), grows=grows)

    def _make_rows(self, values: tuple[Value, ...]) -> None:
        """Have the lists that are elements of a list of the member be its rows.

        Raises:
          Replan: they have not been until now.
        """
        for value in values:
            if not is_list(value.tree):
                self._make_rows(tuple(part for _, part in child_values(value)))
            elif is_static_list(data_of(value).tree):
                self.engine.lists.write(within(self.engine.lists.of(value)), grows=True)

    def _fails(self, error: ProgramError, values: tuple[Value, ...], span: Span) -> bool:
        """End the block where Python raises: a member that gets here stops with the exception.

        Raises:
          ProgramError: it is no exception of Python's that only this path has.
        """
        message = exception_of(error.__cause__, values)
        if message is None and not self.emitter and any(map(_is_unsettled, values)):
            self.engine.deferred.append(error)
            return False
        if message is None:
            raise error
        kind = type(error.__cause__) if error.__cause__ is not None else None
        if kind is None or not message.startswith(kind.__name__):
            kind = None  # It is a library's word for an exception of Python's.
        if self.way_out(message, span, kind) is None:
            self.engine.failed.append(error)
        return self._ends(message, span, kind)

    def _ends(
        self,
        message: str,
        span: Span,
        kind: type[BaseException] | None = None,
        told: bool = False,
        given: tuple[Any, ...] | None = None,
    ) -> bool:
        """End the block: each member that gets here has an exception.

        Args:
          message, span, kind, given: see `Raised`.
          told: a variable has what is told of it, see `ir.RAISED`.
        """
        way = self.way_out(message, span, kind, told, given)
        if self.emitter and way is not None:
            self.emitter.leave(way, span)
        elif self.emitter:
            self.emitter.fail(message, span)
        return False


def _is_unsettled(value: Value) -> bool:
    """Whether a list is a structure so far, which may be found to be one of the member, or has no
    element yet that says what its elements are."""
    if is_list(value.tree):
        return not layout_of(value).known
    return bool(provenance(value))
