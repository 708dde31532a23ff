"""Run one block on abstract values: into its successors, or into an emitter."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.allocation import held, with_copies, with_rooms
from pcbatch.infer.callees import behind, is_straight
from pcbatch.infer.calls import (
    Argument,
    Callee,
    Operand,
    bind,
    children,
    constant,
    expand,
    unpacked,
)
from pcbatch.infer.changing import shown, viewed
from pcbatch.infer.deciding import decide, fits_element, is_integer_scalar, says_truth
from pcbatch.infer.differentiating import Differentiates
from pcbatch.infer.domain import (
    BufferRef,
    Static,
    Value,
    is_number,
)
from pcbatch.infer.element_types import is_slice
from pcbatch.infer.emit import Emitter
from pcbatch.infer.engine import Engine
from pcbatch.infer.evaluate import Evaluation
from pcbatch.infer.failures import exception_of
from pcbatch.infer.fields import FieldChanges, stores_named
from pcbatch.infer.host import plan
from pcbatch.infer.instance import Binding, Instance, UnrolledBlock
from pcbatch.infer.kinds import holds_tuple, is_held, is_list, kind_of
from pcbatch.infer.list_values import layout_of
from pcbatch.infer.maybe_none import holds_maybe, holds_text, is_maybe, is_text
from pcbatch.infer.noting import Noting
from pcbatch.infer.provenance import holds_twice, provenance
from pcbatch.infer.rebinding import Rebind, closures_in, hides, sees
from pcbatch.infer.refusals import of_misuse
from pcbatch.ir.analysis import effects
from pcbatch.semantics import exceptions, faults
from pcbatch.semantics.chosen_texts import used
from pcbatch.semantics.host import HostFunction
from pcbatch.semantics.lists import Changing
from pcbatch.semantics.lists.fresh import DEEP
from pcbatch.semantics.maybe_none import settled
from pcbatch.semantics.operators import truth
from pcbatch.semantics.programs import guard_of
from pcbatch.semantics.transformations import ForwardMode, Gradient, Transformed


class Transfer(Differentiates, FieldChanges, Noting):
    """Abstractly run one block, to its successors' environments or into an emitter."""

    def __init__(
        self, engine: Engine, instance: Instance, place: UnrolledBlock, emitter: Emitter | None
    ):
        super().__init__(engine, instance, place)
        self.emitter = emitter

    def run(self) -> None:
        if self.emitter:
            self.emitter.catch = self.way_out
        checks = faults.CHECKS.get() or self.is_caught  # What is caught has to be found out.
        with faults.checking(checks):
            self._run()

    def _run(self) -> None:
        block = self.instance.blocks[self.place.label]
        for self.position, op in enumerate(block.operations):
            if isinstance(op, ir.Primitive) and op.fn is settled:
                self._settle(op)
            elif not self._operation(op) or not self._rebind(op):
                return
        self._terminator(block.terminator)

    # --- Reading and writing variables -----------------------------------------------------

    def read(self, name: str, span: Span) -> Value:
        if name in self.instance.source.free:
            return self.engine.free(self.instance, name, span)
        binding = self.env.get(name)
        if binding is None or binding.value is None:
            raise ProgramError(report.MaybeUnbound(span, name))
        return binding.value

    def operand(self, name: str, span: Span) -> Operand:
        value = self.read(name, span)
        return self.emitter.operand(name, value) if self.emitter else constant(value)

    def assign(self, name: str, value: Value, span: Span) -> None:
        self.env[name] = Binding(value, span)

    # --- Operations ------------------------------------------------------------------------

    def _operation(self, op: ir.CallOperation) -> bool:
        """Run one operation; False if nothing after it is reached yet."""
        match op:
            case ir.Primitive(fn=ir.move):
                self._move(op)
            case ir.Primitive(fn=ir.unbind):
                self.env.update((target, Binding(None, op.span)) for target in op.targets)
            case ir.Primitive():
                return self._primitive(op, op.fn, op.args, op.batched)
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
                args = (holder, *names)
                renewed = ir.Primitive((holder,), Rebind(own, names), args, "rebind", op.span)
                if not self._primitive(renewed, renewed.fn, args):
                    return False
        return True

    def _may_be_anothers(self, op: ir.CallOperation, holder: str) -> bool:
        """Whether a nested function here may have been made by another call of this function."""
        own, unbound = self.instance.factories, isinstance(op, ir.Primitive) and op.fn is ir.unbind
        if holder in self.instance.made:
            return unbound
        results = (i.result for i in self.engine.instances)
        values = (*self.instance.params.values(), *(r for r in results if r is not None))
        return unbound or any(f is o for v in values for f in closures_in(v.tree) for o in own)

    def _move(self, op: ir.Primitive) -> None:
        operands = [self.operand(a, op.span) for a in op.args]
        for target, operand in zip(op.targets, operands, strict=True):
            self.assign(target, operand.value, op.span)
        if self.emitter:
            self.note_moves(op, [operand.value for operand in operands])
            self.emitter.moves(op.targets, operands, op.span)

    def _settle(self, op: ir.Primitive) -> None:
        """Have a variable that a condition has found not to be None be the value."""
        (name,) = op.targets
        if not self._is_bound(name) or not is_maybe(self.read(name, op.span).tree):
            return
        value = children(self.operand(name, op.span))[1]
        self.assign(name, value.value, op.span)
        if self.emitter:
            self.emitter.moves(op.targets, [value], op.span)

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
            self.refuse_elements(error, op.span)
            return self._fails(error, values, op.span)
        self.may_raise(outcome, op.span)
        makings = self.makings(op.targets, outcome.values)
        results = tuple(with_rooms(value, makings) for value in outcome.values)
        self.note_hidden(outcome.hidden, op.span)
        if owner := getattr(fn, "of_part", ""):
            self.note_array(owner, self.read(owner, op.span), outcome.values[0], op.span)
        if any(map(stores_named, results)):
            self.note_copies(values, op.span)
        for k, (target, value) in enumerate(zip(op.targets, results, strict=True)):
            part = makes.at(k) if makes is not None else None
            self.assign(target, self.noted(value, part, (k,), target), op.span)
        if outcome.twice:
            self.note_twice(results, op.span)
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
        changing = self.changing(method, (), target.value, span)
        if method.startswith("set."):  # the operator takes sets only
            changing = dataclasses.replace(changing, options=(("symbol", symbol),))
        read = (name, added.targets[0])
        return self.change("%none", changing, self.contents(target), [values], read, span)

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

    def _call(self, op: ir.Call) -> bool:
        function = self.operand(op.callee, op.span)
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
        fn = self.engine.plain_call(op, batched)
        return self._primitive(op, fn, (op.callee, *op.args), batched)

    def _is_straight(self, op: ir.Call, callee: Callee, function: Value) -> bool:
        if not callee.is_leaf:
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
        given = [
            (arg, keyword.removeprefix("?") if keyword else None)
            for arg, keyword in zip(op.args, op.keywords, strict=True)
            if not (keyword or "").startswith("?") or self._is_bound(arg)
        ]
        operands = [self.operand(arg, op.span) for arg, _ in given]
        for (arg, _), operand in zip(given, operands, strict=True):
            if holds_maybe(operand.value.tree):
                raise ProgramError(report.NoneForSome(op.span, f"`{shown(arg)}`"))
            if holds_text(operand.value.tree):
                raise ProgramError(of_misuse(op.span, used(), ()))
        positional, named = expand(operands, [keyword for _, keyword in given])
        planned = plan(function, positional, named, op.span)
        self.assign(op.targets[0], planned.result, op.span)
        if self.emitter:
            self.emitter.host(op, planned)

    def _is_bound(self, name: str) -> bool:
        binding = self.env.get(name)
        return binding is not None and binding.value is not None

    def _call_instance(self, op: ir.Call, callee: Callee, brought: list[Argument]) -> bool:
        own = [self.operand(a, op.span) for a in op.args]
        operands = [*(operand for operand, _ in brought), *own]
        keywords = (*(keyword for _, keyword in brought), *op.keywords)
        arguments = bind(callee, operands, keywords, op.span, self.engine.store)
        if self.emitter:
            names = self._names_of(op, callee, keywords)
        given, arguments = arguments, self.handed(callee, arguments, op.span)
        target = self.engine.instance(callee, arguments, op.span, self.caught)
        self.note_handed(op, callee, target, given)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        if self.emitter:
            self.note_call(op, target, names)
        ways = self.ways_out(target)
        if target.result is None:
            if self.emitter:
                self.emitter.call(op, target, arguments, ways=ways)
                self.emitter.unreachable(op.span)
            return False
        for value in self.kept(op.targets).values():
            self.engine.lists.viewed |= viewed(value)
        copies = self.copies(op, target, target.result)
        result = with_copies(target.result, copies)
        self.engine.lists.copied(copies)
        self.engine.handing.copy(copies)
        for _, leaf in held({"": result}):
            self.engine.rooms.note(leaf)
        saved = self.saved(op, target, arguments)
        self.assign(op.targets[0], result, op.span)
        if self.emitter:
            self.emitter.call(op, target, arguments, result, copies, saved, ways)
        return True

    def change(
        self,
        result: str,
        changing: Changing,
        target: Operand,
        operands: list[Operand],
        read: tuple[str, ...],
        span: Span,
    ) -> bool:
        """Change a list, see `ListChanges`."""
        if self.emitter:
            self.note_mixed(read, span)
        reached = super().change(result, changing, target, operands, read, span)
        if self.emitter and reached:
            self.note_mixed((*read, result), span)
        return reached

    def _names_of(
        self, op: ir.Call, callee: Callee, keywords: tuple[str | None, ...]
    ) -> dict[str, tuple[str, ...]]:
        """By parameter, what the leaves are called that it is given."""
        named = [self.with_nodes(a, self.operand(a, op.span)) for a in (op.callee, *op.args)]
        _, brought = behind(self.engine, named[0])
        operands = [*(operand for operand, _ in brought), *named[1:]]
        bound = bind(callee, operands, keywords, op.span, self.engine.store)
        return {name: operand.names for name, operand in bound.items()}

    def _store(self, op: ir.Store) -> bool:
        buffer = self.read(op.buffer, op.span)
        if (reached := self.store_by_names(op, buffer)) is not None:
            return reached
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
        if not all(map(is_number, key.leaves)):
            raise ProgramError(report.NamedKeys(op.span, f"`{shown(op.buffer)}`"))
        if not self.engine.lists.of(buffer):
            raise ProgramError(report.StoreIntoDict(op.span, shown(op.buffer)))

    def _ends(self, message: str, span: Span, kind: type[BaseException] | None = None) -> bool:
        """End the block: each member that gets here has an exception."""
        way = self.way_out(message, span, kind)
        if self.emitter and way is not None:
            self.emitter.leave(way, span)
        elif self.emitter:
            self.emitter.fail(message, span)
        return False

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
            case ir.Fail(message, span, kind, again, named):
                if again or named:
                    raised = (
                        self.raised_again(again, span)
                        if again
                        else self.raised_by(named, message, span)
                    )
                    message, span, kind = raised.message, raised.span, raised.kind
                self._ends(message, span, kind)

    def _jump(self, label: str, span: Span) -> None:
        self.engine.flow(self.instance, label, self.env, span)
        if self.emitter:
            self.emitter.jump(self.edge(label, span), span)

    def _branch_on_object(self, branch: ir.Branch) -> None:
        """Branch on whether a list of the member has elements, or on what an object says."""
        condition = "%holds"
        op = ir.Primitive((condition,), _truth_of, (branch.condition,), "bool", branch.span)
        self.position += 1
        self._primitive(op, op.fn, op.args)
        self._branch(dataclasses.replace(branch, condition=condition))

    def _branch(self, branch: ir.Branch) -> None:
        value = self.read(branch.condition, branch.span)
        by_object = is_held(value.tree) or is_maybe(value.tree) or says_truth(value.tree)
        by_object = by_object or is_text(value.tree)
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


def _is_unsettled(value: Value) -> bool:
    """Whether a list is a structure so far, which may be found to be one of the member, or has no
    element yet that says what its elements are."""
    if is_list(value.tree):
        return not layout_of(value).known
    return bool(provenance(value))
