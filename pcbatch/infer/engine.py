"""The fixpoint: which blocks are reached, with which abstract values, in which specializations.

The analysis is optimistic constant propagation over the call graph. A function is specialized per
structure, dtype and shape of its arguments and per static object among them; within a
specialization, values meet at joins (`domain.join`). Blocks inside an unrolled loop are kept apart
by the loop's position.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from pcbatch import functions, ir, structure
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee, Operand, check_static, fits
from pcbatch.infer.domain import Conflict, Static, Value, is_number, join, unroll_key
from pcbatch.infer.evaluate import Evaluator
from pcbatch.infer.instance import Binding, Environment, Frontend, Instance, Place
from pcbatch.infer.store import Store
from pcbatch.values import Closure

MAX_INSTANCES = 256
MAX_TYPES = 32
MAX_UNROLL = 1024


class Engine:
    """One run of inference."""

    def __init__(self, frontend: Frontend, store: Store):
        self.frontend, self.store = frontend, store
        self.evaluate = Evaluator(store)
        self.instances: list[Instance] = []
        self.free_reads: dict[tuple[int, str], tuple[FunctionType, str, Any]] = {}
        self._closures: dict[int, Callee | None] = {}
        self._sources: list[tuple[Callee, ir.Function]] = []
        self._plain_calls: dict[int, Callable[..., Any]] = {}
        self._queue: list[tuple[int, int, int, Instance, Place]] = []
        self._queued: set[tuple[str, Place]] = set()
        self._arrivals = itertools.count()

    # --- Instances -------------------------------------------------------------------------

    def instance(self, callee: Callee, arguments: dict[str, Operand], span: Span) -> Instance:
        """The specialization that serves a call, widened to its arguments."""
        check_static(callee, arguments, span)
        for known in self.instances:
            if known.callee.same(callee) and fits(callee, known.params, arguments):
                self._widen(known, arguments, span)
                return known
        name = callee.function.__name__
        same_name = sum(i.source.name == name for i in self.instances)
        if same_name >= MAX_INSTANCES:
            raise ProgramError(report.TooManyInstances(span, name, MAX_INSTANCES))
        self._check_growth(callee, arguments, span)
        params = {p: operand.value for p, operand in arguments.items()}
        source = self.lower(callee)
        unique = f"{source.name}~{same_name + 1}" if same_name else source.name
        created = Instance(callee, source, unique, params)
        self.instances.append(created)
        self._enter(created)
        return created

    def _check_growth(self, callee: Callee, arguments: dict[str, Operand], span: Span) -> None:
        """Refuse a recursion that passes on an argument of another type for ever."""
        alike = [
            i.params
            for i in self.instances
            if i.callee.same(callee) and _same_statics(callee, i.params, arguments)
        ]
        if len(alike) < MAX_TYPES:
            return
        for name, old in alike[0].items():
            new = arguments[name].value
            if new != old:
                raise ProgramError(
                    report.ArgumentConflict(
                        span, name, callee.function.__name__, str(new), str(old)
                    )
                )

    def _widen(self, instance: Instance, arguments: dict[str, Operand], span: Span) -> None:
        changed = False
        for name, old in instance.params.items():
            try:
                new = join(old, arguments[name].value)
            except Conflict as c:
                raise ProgramError(report.ArgumentConflict(
                    span, name + c.path, instance.source.name, str(c.right), str(c.left)
                )) from None  # fmt: skip
            changed |= new != old
            instance.params[name] = new
        if changed:
            self._enter(instance)

    def _enter(self, instance: Instance) -> None:
        span = instance.source.span
        env = {name: Binding(value, span) for name, value in instance.params.items()}
        self._flow(instance, instance.entry, env, span)

    def enqueue(self, instance: Instance, place: Place) -> None:
        """Have a block analysed: callees before callers, and loops before what follows them."""
        if (instance.name, place) not in self._queued:
            self._queued.add((instance.name, place))
            depth = -self.instances.index(instance)
            order = instance.order[place.label]
            heapq.heappush(self._queue, (depth, order, next(self._arrivals), instance, place))

    def run(self, step: Callable[[Instance, Place], None]) -> None:
        """Analyse until nothing changes; `step` runs one block on what is known there."""
        while self._queue:
            *_, instance, place = heapq.heappop(self._queue)
            self._queued.discard((instance.name, place))
            step(instance, place)

    # --- Joins -----------------------------------------------------------------------------

    def place(self, instance: Instance, label: str, env: Environment, span: Span) -> Place:
        """Where a jump to `label` with these values goes."""
        live = instance.live[label]
        known = ((v, env[v].value) for v in live if v in env)
        keys = [(v, unroll_key(value)) for v, value in known if value is not None]
        context = tuple((v, k) for v, k in keys if k is not None)
        if any(k > MAX_UNROLL for _, k in context):
            raise ProgramError(report.UnrollTooLong(span, MAX_UNROLL))
        return Place(label, context)

    def _flow(self, instance: Instance, place: Place, env: Environment, span: Span) -> None:
        live = instance.live[place.label]
        arriving = {
            v: env.get(v, Binding(None, span)) for v in live if v not in instance.source.free
        }
        known = instance.places.get(place)
        if known is None:
            instance.places[place] = arriving
            self.enqueue(instance, place)
            return
        joined = {v: _join_bindings(v, known[v], arriving[v]) for v in arriving}
        if any(joined[v].value != known[v].value for v in joined):
            instance.places[place] = joined
            self.enqueue(instance, place)

    def flow(self, instance: Instance, label: str, env: Environment, span: Span) -> None:
        self._flow(instance, self.place(instance, label, env, span), env, span)

    def returned(self, instance: Instance, value: Value, span: Span) -> None:
        """Note a `return`; the callers are analysed again if it changes the result."""
        try:
            joined = value if instance.result is None else join(instance.result, value)
        except Conflict as c:
            where = _elsewhere(instance.result_span or span, span)
            raise ProgramError(
                report.ResultConflict(span, str(c.right), str(c.left), where)
            ) from None
        instance.result_span = instance.result_span or span
        if joined != instance.result:
            instance.result = joined
            for caller, place in instance.callers.values():
                self.enqueue(caller, place)

    def free(self, instance: Instance, name: str, span: Span) -> Value:
        """The abstract value of a global or a closure variable."""
        if name not in instance.free:
            function = instance.callee.function
            try:
                value = self.frontend.free_value(function, name)
            except ProgramError as error:
                if error.diagnostic.span.line:
                    raise
                raise ProgramError(dataclasses.replace(error.diagnostic, span=span)) from None
            self.free_reads[id(function), name] = (function, name, value)
            instance.free[name] = self.store.abstract(name, value, function)
        return instance.free[name]

    def closure(self, function: Value) -> Callee | None:
        """The callee behind a closure value; None for anything else."""
        tree = function.tree
        if not isinstance(tree, structure.Node) or tree.type is not Closure:
            return None
        key = id(tree.meta)
        if key not in self._closures:
            known = (x.value if isinstance(x, Static) else None for x in function.leaves)
            self._closures[key] = self.frontend.closure(structure.unflatten(tree, known))
        return self._closures[key]

    def lower(self, callee: Callee) -> ir.Function:
        """The source form of a function, made once."""
        for known, source in self._sources:
            if known.same(callee):
                return source
        source = self.frontend.lower(callee)
        self._sources.append((callee, source))
        return source

    def plain_call(self, op: ir.Call, batched: bool) -> Callable[..., tuple[Any, ...]]:
        """A primitive that calls its first argument, which is no autobatched function."""
        if id(op) not in self._plain_calls:
            self._plain_calls[id(op)] = _caller(op.keywords, batched)
        return self._plain_calls[id(op)]


def _caller(keywords: tuple[str | None, ...], batched: bool) -> Callable[..., tuple[Any, ...]]:
    def call(function: Any, *values: Any) -> tuple[Any, ...]:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for value, keyword in zip(values, keywords, strict=True):
            match keyword:
                case None:
                    positional.append(value)
                case "*":
                    positional.extend(functions.iterated(value))
                case "**":
                    named.update(value)
                case _:
                    named[keyword] = value
        callee = function.function if batched else function
        return (callee(*positional, **named),)

    return call


def _join_bindings(name: str, old: Binding, new: Binding) -> Binding:
    if old.value is None or new.value is None:
        return Binding(None, old.span)
    try:
        return Binding(join(old.value, new.value), old.span)
    except Conflict as c:
        where = _elsewhere(old.span, new.span)
        raise ProgramError(
            report.JoinConflict(new.span, name + c.path, str(c.right), str(c.left), where)
        ) from None


def _elsewhere(first: Span, second: Span) -> str:
    return f"at line {first.line}" if first.line != second.line else "on the other path"


def _same_statics(
    callee: Callee, params: Mapping[str, Value], arguments: Mapping[str, Operand]
) -> bool:
    """Whether the static objects among two sets of arguments are the same."""

    def statics(name: str, value: Value) -> list[Any]:
        declared = name in callee.static_argnames
        return [x for x in value.leaves if isinstance(x, Static) and (declared or not is_number(x))]

    return all(
        value.tree == arguments[name].value.tree
        and statics(name, value) == statics(name, arguments[name].value)
        for name, value in params.items()
    )
