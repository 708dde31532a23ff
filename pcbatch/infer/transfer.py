"""Run one block on abstract values: into its successors, or into an emitter."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch import ir, structure
from pcbatch.errors import ProgramError, Span
from pcbatch.host import HostFunction
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Argument, Callee, Operand, bind, children, constant, expand
from pcbatch.infer.domain import (
    BufferRef,
    Conflict,
    Static,
    Tensor,
    Value,
    as_tensor,
    is_number,
    join,
)
from pcbatch.infer.emit import Emitter
from pcbatch.infer.engine import Engine
from pcbatch.infer.evaluate import Outcome
from pcbatch.infer.host import plan
from pcbatch.infer.instance import Binding, Environment, Instance, Place
from pcbatch.operators import truth
from pcbatch.values import Closure, Method


class Transfer:
    """Abstractly run one block, to its successors' environments or into an emitter."""

    def __init__(self, engine: Engine, instance: Instance, place: Place, emitter: Emitter | None):
        self.engine, self.instance, self.place, self.emitter = engine, instance, place, emitter
        self.env: Environment = dict(instance.places[place])

    def run(self) -> None:
        block = self.instance.blocks[self.place.label]
        for op in block.operations:
            if not self._operation(op):
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
            case ir.Primitive():
                self._primitive(op, op.fn, op.args, op.batched)
            case ir.Call():
                return self._call(op)
            case ir.Store():
                self._store(op)
        return True

    def _move(self, op: ir.Primitive) -> None:
        operands = [self.operand(a, op.span) for a in op.args]
        for target, operand in zip(op.targets, operands, strict=True):
            self.assign(target, operand.value, op.span)
        if self.emitter:
            self.emitter.moves(op.targets, operands, op.span)

    def _primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[str, ...],
        batched: bool = False,
    ) -> None:
        operands = [self.operand(a, op.span) for a in args]
        values = tuple(o.value for o in operands)
        name = f"{self.instance.name}.{op.targets[0]}"
        outcome: Outcome = self.engine.evaluate(fn, values, op.span, name, batched, args)
        for target, value in zip(op.targets, outcome.values, strict=True):
            self.assign(target, value, op.span)
        if self.emitter:
            self.emitter.primitive(op, fn, operands, outcome, batched)

    def _call(self, op: ir.Call) -> bool:
        function = self.operand(op.callee, op.span)
        leaf = function.value.leaf
        target = leaf.value if isinstance(leaf, Static) else None
        callee, brought = self._behind(function)
        if callee is not None and not self._is_straight(op, callee, function.value):
            return self._call_instance(op, callee, brought)
        if leaf is not None and (not isinstance(leaf, Static) or not callable(target)):
            raise ProgramError(report.NotCallable(op.span, op.callee, str(function.value)))
        if isinstance(target, HostFunction):
            self._host(op, target)
            return True
        batched = self.engine.frontend.is_batched(target)
        fn = self.engine.plain_call(op, batched)
        self._primitive(op, fn, (op.callee, *op.args), batched)
        return True

    def _behind(self, function: Operand) -> tuple[Callee | None, list[Argument]]:
        """The function of the program behind a value, and the arguments that it brings along."""
        leaf, tree = function.value.leaf, function.value.tree
        if not isinstance(tree, structure.Node):
            return self.engine.frontend.callee(leaf.value if isinstance(leaf, Static) else None), []
        if issubclass(tree.type, Method):
            return self.engine.frontend.callee(tree.meta), [(x, None) for x in children(function)]
        if issubclass(tree.type, functools.partial):
            called, args, named = children(function)
            callee, brought = self._behind(called)
            return callee, [*brought, (args, "*"), (named, "**")]
        callee = self.engine.closure(function.value)
        return callee, [(x, None) for x in children(function)] if callee else []

    def _host(self, op: ir.Call, function: HostFunction) -> None:
        given = [
            (arg, keyword.removeprefix("?") if keyword else None)
            for arg, keyword in zip(op.args, op.keywords, strict=True)
            if not (keyword or "").startswith("?") or self._is_bound(arg)
        ]
        operands = [self.operand(arg, op.span) for arg, _ in given]
        positional, named = expand(operands, [keyword for _, keyword in given])
        planned = plan(function, positional, named, op.span)
        self.assign(op.targets[0], planned.result, op.span)
        if self.emitter:
            self.emitter.host(op, planned)

    def _is_bound(self, name: str) -> bool:
        binding = self.env.get(name)
        return binding is not None and binding.value is not None

    def _is_straight(self, op: ir.Call, callee: Callee, function: Value) -> bool:
        """Whether a nested function is straight-line code, so that Python may just call it."""
        if not callee.is_leaf:
            return False
        values = [function, *(self.read(a, op.span) for a in op.args)]
        calls = any(self.engine.closure(v) is not None for v in values[1:]) or any(
            self.engine.frontend.callee(x.value) is not None
            for v in values
            for x in v.leaves
            if isinstance(x, Static)
        )
        nested = any(_holds_function(child) for v in values for child in _children_of(v.tree))
        return not calls and not nested and len(self.engine.lower(callee).blocks) == 1

    def _call_instance(self, op: ir.Call, callee: Callee, brought: list[Argument]) -> bool:
        given = [self.operand(a, op.span) for a in op.args]
        operands = [*(operand for operand, _ in brought), *given]
        keywords = (*(keyword for _, keyword in brought), *op.keywords)
        arguments = bind(callee, operands, keywords, op.span, self.engine.store)
        target = self.engine.instance(callee, arguments, op.span)
        target.callers[self.instance.name, self.place] = (self.instance, self.place)
        if target.result is None:
            if self.emitter:
                self.emitter.call(op, target, arguments)
                self.emitter.unreachable(op.span)
            return False
        self.assign(op.targets[0], target.result, op.span)
        if self.emitter:
            self.emitter.call(op, target, arguments)
        return True

    def _store(self, op: ir.Store) -> None:
        buffer = self.read(op.buffer, op.span)
        index, value = self.operand(op.index, op.span), self.operand(op.value, op.span)
        containers = {list: report.StoreIntoList, dict: report.StoreIntoDict}
        if isinstance(buffer.tree, structure.Node) and buffer.tree.type in containers:
            raise ProgramError(containers[buffer.tree.type](op.span, op.buffer))
        if not isinstance(buffer.leaf, BufferRef):
            raise ProgramError(report.StoreTarget(op.span, op.buffer, str(buffer)))
        element = self.engine.store.buffers[buffer.leaf.name].element
        if not _is_integer_scalar(index.value):
            raise ProgramError(report.StoreIndex(op.span, op.buffer, str(index.value)))
        leaf = value.value.leaf
        try:
            fitting = leaf is not None and join(
                value.value, Value(value.value.tree, (Tensor(element),))
            )
        except Conflict:
            fitting = None
        if not fitting:
            raise ProgramError(
                report.StoreElement(op.span, op.buffer, str(value.value), str(element))
            )
        if self.emitter:
            self.emitter.store(buffer.leaf.name, index, value, element, op.span)

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
                    self.emitter.returns(operand, self.instance.result, span)
            case ir.Fail(message, span):
                if self.emitter:
                    self.emitter.fail(message, span)

    def _jump(self, label: str, span: Span) -> None:
        self.engine.flow(self.instance, label, self.env, span)
        if self.emitter:
            self.emitter.jump(self._edge(label, span), span)

    def _edge(self, label: str, span: Span) -> tuple[Place, list[tuple[str, Value, Value]]]:
        """The place that an edge leads to and, per live variable, its value here and there."""
        place = self.engine.place(self.instance, label, self.env, span)
        there = self.instance.places[place]
        pairs = ((v, self.env[v].value, there[v].value) for v in there if v in self.env)
        return place, [(v, a, b) for v, a, b in pairs if a is not None and b is not None]

    def _branch(self, branch: ir.Branch) -> None:
        value = self.read(branch.condition, branch.span)
        decided = _decide(value, branch.span)
        if decided is not None:
            self._jump(branch.then if decided else branch.orelse, branch.span)
            return
        for label in (branch.then, branch.orelse):
            self.engine.flow(self.instance, label, self.env, branch.span)
        if self.emitter:
            condition = self.operand(branch.condition, branch.span)
            edges = [self._edge(x, branch.span) for x in (branch.then, branch.orelse)]
            self.emitter.branch(condition, edges[0], edges[1], branch.span)


def _is_integer_scalar(value: Value) -> bool:
    leaf = value.leaf
    if leaf is None or not is_number(leaf):
        return False
    type_ = as_tensor(leaf).type
    return type_.shape == () and tf.as_dtype(type_.dtype).is_integer


def _children_of(tree: structure.Tree) -> tuple[structure.Tree, ...]:
    return tree.children if isinstance(tree, structure.Node) else ()


def _holds_function(tree: structure.Tree) -> bool:
    """Whether a structure has a nested function or a bound autobatched method inside."""
    if not isinstance(tree, structure.Node):
        return False
    return issubclass(tree.type, (Closure, Method)) or any(map(_holds_function, tree.children))


def _decide(value: Value, span: Span) -> bool | None:
    """The truth of a condition that is known before anything runs, else None.

    Raises:
      ProgramError: the condition is a tensor that is not a scalar.
    """
    if isinstance(value.tree, structure.Node):
        return len(value.tree.keys) > 0
    leaf = value.leaves[0]
    match leaf:
        case Static(condition):
            return bool(truth(condition))
        case BufferRef():
            return True
        case _:
            if leaf.type.shape != ():
                raise ProgramError(report.ConditionNotScalar(span, str(leaf)))
            return None
