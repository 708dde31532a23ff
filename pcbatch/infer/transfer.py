"""Run one block on abstract values: into its successors, or into an emitter."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer import unbound
from pcbatch.infer.call_writer import Edge
from pcbatch.infer.changing import ListChange, shown
from pcbatch.infer.deciding import decide, fits_element, is_integer_scalar, says_truth
from pcbatch.infer.domain import BufferRef, Static, Value
from pcbatch.infer.element_types import is_slice
from pcbatch.infer.instance import Binding, Environment
from pcbatch.infer.keyed import of_key
from pcbatch.infer.kinds import holds_tuple, is_held, is_list, kind_of
from pcbatch.infer.maybe_none import is_text
from pcbatch.infer.rebinding import Rebind, closures_in, hides, sees
from pcbatch.infer.refusals import of_misuse
from pcbatch.infer.special_steps import SpecialSteps
from pcbatch.ir.analysis import effects
from pcbatch.semantics import caught, exceptions, faults
from pcbatch.semantics.maybe_none import settled, settled_element
from pcbatch.semantics.none_or_value import is_maybe, used
from pcbatch.semantics.operators import truth
from pcbatch.semantics.references import is_reference_tree


class Transfer(SpecialSteps):
    """Abstractly run one block, to its successors' environments or into an emitter."""

    def run(self) -> None:
        if self.emitter:
            self.emitter.catch = self.way_out
        checks = faults.CHECKS.get() or self.is_caught  # What is caught has to be found out.
        with faults.checking(checks):
            self._run()

    def _run(self) -> None:
        block = self.instance.blocks[self.place.label]
        for self.position, op in enumerate(block.operations):
            if isinstance(op, ir.Primitive) and op.fn in (settled, settled_element):
                if not self._settle(op):
                    return
            elif not self._operation(op) or not self._rebind(op):
                return
        self._terminator(block.terminator)

    def _operation(self, op: ir.CallOperation) -> bool:
        """Run one operation; False if nothing after it is reached yet."""
        match op:
            case ir.Primitive(fn=ir.move):
                self._move(op)
            case ir.Primitive(fn=ir.unbind):
                for name in op.args:
                    self.read(name, op.span)
                self.env.update((target, Binding(None, op.span)) for target in op.targets)
            case ir.Primitive(fn=caught.told):
                self.tell(op)
            case ir.Primitive():
                reached = self.ask(op)
                return (
                    self._primitive(op, op.fn, op.args, op.batched) if reached is None else reached
                )
            case ir.Call():
                return self._call(op)
            case ir.Store():
                return self._store(op)
        return True

    def _rebind(self, op: ir.CallOperation) -> bool:
        """Have the nested functions see what an operation has assigned.

        Raises:
          ProgramError: they may be of another call of the function, whose variables these are not.
        """
        own = self.instance.factories
        targets = tuple(effects.writes(op))
        if isinstance(op, ir.Primitive) and op.fn is ir.unbind:  # they see the flags
            targets = tuple(n for n in targets if n not in self.instance.source.unbound)
        names = tuple(n for n in targets if any(n in factory.late for factory in own))
        if not names:
            return True
        for holder, value in self.kept(()).items():
            if holder in self.instance.given:  # what it holds is of another call
                continue
            seen = sees(value, own, names)
            if hides(value, own, names) or (seen and self._may_be_anothers(op, holder)):
                raise ProgramError(report.KeptFunctionSees(op.span, names[0], holder))
            if seen:
                self._renew(holder, value, Rebind(own, names), op.span)
        return True

    def _renew(self, holder: str, value: Value, fn: Rebind, span: Span) -> None:
        """Have a variable hold nested functions that see what has been assigned."""
        args = (holder, *fn.names)
        renewed = fn.abstract(value, [self.read(name, span) for name in fn.names])
        self._primitive(ir.Primitive((holder,), fn, args, "rebind", span), fn, args)
        assert self.read(holder, span) == renewed
        self.assign(holder, renewed, span)

    def _may_be_anothers(self, op: ir.CallOperation, holder: str) -> bool:
        """Whether a nested function here may have been made by another call of this function."""
        own, unbinds = self.instance.factories, isinstance(op, ir.Primitive) and op.fn is ir.unbind
        if holder in self.instance.made:
            return unbinds
        results = (i.result for i in self.engine.instances)
        values = (*self.instance.params.values(), *(r for r in results if r is not None))
        return unbinds or any(f is o for v in values for f in closures_in(v.tree) for o in own)

    def change(self, made: ListChange) -> bool:
        """Change a list, see `ListChanges`."""
        if self.emitter:
            self.note_mixed(made.read, made.span)
        reached = super().change(made)
        if self.emitter and reached:
            self.note_mixed((*made.read, made.result), made.span)
        return reached

    def _store(self, op: ir.Store) -> bool:
        buffer = self.read(op.buffer, op.span)
        if (reached := self.assigned_by_method(op)) is not None:
            return reached
        if (reached := self.store_on_heap(op)) is not None:
            return reached
        if (reached := self.store_by_names(op, buffer)) is not None:
            return reached
        if is_maybe(buffer.tree):
            raise ProgramError(of_misuse(op.span, used(), ()))
        kind = kind_of(buffer)
        if kind == "dict" and not is_held(buffer.tree):
            self._check_dict(op, buffer)
        if holds_tuple(buffer):
            raise ProgramError(report.StoreIntoTuple(op.span, shown(op.buffer)))
        if kind in ("list", "dict", "deque"):
            return self.store_into_list(op, self.operand(op.buffer, op.span))
        index, value = self.operand(op.index, op.span), self.operand(op.value, op.span)
        if not isinstance(buffer.leaf, BufferRef):
            raise ProgramError(report.StoreTarget(op.span, shown(op.buffer), str(buffer)))
        element = buffer.leaf.type.element
        if is_slice(index.value):
            raise ProgramError(report.SliceOfBuffer(op.span, op.buffer))
        if not is_integer_scalar(index.value):
            raise ProgramError(report.StoreIndex(op.span, op.buffer, str(index.value)))
        if not fits_element(value.value, element):
            raise ProgramError(
                report.StoreElement(op.span, op.buffer, str(value.value), str(element))
            )
        length, number = buffer.leaf.type.length, index.value.leaf
        if isinstance(number, Static) and not -length <= number.value < length:
            return self._ends(exceptions.bounds(number.value, 0, length), op.span)
        message = exceptions.bounds(f"{{{op.text}}}", 0, length)
        if not isinstance(number, Static):
            self.way_out(message, op.span)
        if self.emitter:
            buffer_operand = self.operand(op.buffer, op.span)
            self.emitter.store(buffer_operand, index, value, message, op.span)
        return True

    def _check_dict(self, op: ir.Store, buffer: Value) -> None:
        """Refuse to assign to a dict that cannot be a member's own."""
        key = self.read(op.index, op.span)
        self.check_keys(buffer, op.span)
        if of_key(key) is None:
            raise ProgramError(report.NamedKeys(op.span, f"`{shown(op.buffer)}`"))
        if not self.engine.lists.of(buffer):
            raise ProgramError(report.StoreIntoDict(op.span, shown(op.buffer)))

    # --- Terminators -----------------------------------------------------------------------

    def _terminator(self, terminator: ir.CallTerminator) -> None:
        match terminator:
            case ir.Jump(target, span):
                self._jump(target, span)
            case ir.Branch():
                self._branch(terminator)
            case ir.Return((variable,), span):
                operand = self.operand(variable, span)
                self.engine.returned(self.instance, operand.value, span)
                if self.emitter:
                    assert self.instance.result is not None
                    self.note_return(variable, operand.value)
                    self.emitter.returns(operand, self.instance.result, span)
            case ir.Fail(message, span, kind, again, named, told, given):
                if again or named:
                    raised = (
                        self.raised_again(again, span)
                        if again
                        else self.raised_by(named, message, span)
                    )
                    message, span = raised.message, raised.span
                    kind, given = raised.kind, raised.given
                if unbound.stops(terminator) and not self.is_caught:
                    never = ProgramError(report.NeverBound(span, message))
                    self.engine.failed.append(never)
                self._ends(message, span, kind, bool(told or again), given)

    def edge(self, label: str, span: Span, env: Environment | None = None) -> Edge:
        """What an edge leads to and carries."""
        found = super().edge(label, span, env)
        if self.emitter:
            self.note_edge(found, span)
        return found

    def _jump(self, label: str, span: Span) -> None:
        self.engine.flow(self.instance, label, self.env, span)
        if self.emitter:
            self.emitter.jump(self.edge(label, span), span)

    def _branch_on_object(self, branch: ir.Branch) -> None:
        """Branch on whether a list of the member has elements, or on what an object says."""
        condition = "%holds"
        op = ir.Primitive((condition,), _truth_of, (branch.condition,), "bool", branch.span)
        self.position += 1
        if self._primitive(op, op.fn, op.args):
            self._branch(dataclasses.replace(branch, condition=condition))

    def _branch(self, branch: ir.Branch) -> None:
        value = self.read(branch.condition, branch.span)
        by_object = is_held(value.tree) or is_maybe(value.tree) or says_truth(value.tree)
        by_object = by_object or is_text(value.tree) or is_reference_tree(value.tree)
        if is_list(value.tree) or by_object:
            return self._branch_on_object(branch)
        decided = decide(value, branch.span)
        if decided is not None:
            self._jump(branch.then if decided else branch.orelse, branch.span)
            return
        for label in (branch.then, branch.orelse):
            self.engine.flow(self.instance, label, self.env, branch.span)
        if self.emitter:
            condition = self.operand(branch.condition, branch.span)
            edges = [self.edge(x, branch.span) for x in (branch.then, branch.orelse)]
            self.emitter.branch(condition, edges[0], edges[1], branch.span)


def _truth_of(value: Any) -> tuple[Any]:
    return (truth(value),)
