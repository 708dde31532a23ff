"""The fixpoint: which blocks are reached, with which abstract values, in which specializations.

The analysis is optimistic constant propagation over the call graph. A function is specialized per
structure, dtype and shape of its arguments and per static object among them; within a
specialization, values meet at joins (`meeting.join`). Blocks inside an unrolled loop are kept apart
by the loop's position.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import types
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee, Operand, check_static, fits
from pcbatch.infer.catching import Raised
from pcbatch.infer.domain import Static, Value, unroll_key
from pcbatch.infer.evaluate import Evaluations, Evaluator
from pcbatch.infer.given_lists import with_copies_of_arguments
from pcbatch.infer.growth import Growth
from pcbatch.infer.handing import Handing, receiving
from pcbatch.infer.heap import Heap, with_heap
from pcbatch.infer.instance import (
    Binding,
    Environment,
    Frontend,
    Instance,
    UnrolledBlock,
    seen_from,
)
from pcbatch.infer.joining import check_end, elsewhere, joined_bindings, joined_values
from pcbatch.infer.kinds import check_presentable
from pcbatch.infer.lending import Lending, as_parameters, handing_back
from pcbatch.infer.lists import Lists
from pcbatch.infer.meeting import Conflict, changed, join
from pcbatch.infer.opening import expanded
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.shared_arrays import SharedArrays
from pcbatch.infer.store import SharedTensors
from pcbatch.infer.two_kinds import none_beside_result
from pcbatch.ir.analysis import graph
from pcbatch.semantics import dispatch, prelude, pytree, row_lists
from pcbatch.semantics.static_values import Closure
from pcbatch.semantics.user_code import is_own_file

MAX_INSTANCES = 256
MAX_UNROLL = 1024


@dataclasses.dataclass(frozen=True)
class Kept:
    """What inference keeps when it begins again.

    Attributes:
      lists: which are kept in buffers.
      handing: which lists calls are handed by their elements.
      lending: which objects functions change for their callers.
      heap: which objects are on the heap.
      sources: the source forms of functions.
      evaluations: what primitives have given, see `Evaluator`.
      not_straight: functions of which only the program, as it is written down, has shown that
        Python cannot just call them.
    """

    lists: Lists
    handing: Handing
    lending: Lending
    heap: Heap
    sources: list[tuple[Callee, ir.Function]] = dataclasses.field(default_factory=list)
    evaluations: Evaluations = dataclasses.field(default_factory=Evaluations)
    not_straight: set[CodeType] = dataclasses.field(default_factory=set)


class Engine:
    """One run of inference.

    Args:
      frontend: what comes from outside.
      store: the shared tensors known so far.
      kept: what other runs have found.
      copied: a caller gets a copy of a buffer that its callee has made, see `allocation.Copy`.

    Attributes:
      rooms: of the buffers.
      shared_arrays: which variables may have one array, as the program is written down.
      recursion: the names of the specializations in each one's recursion, when all are known.
      instances: the specializations found so far, the entry first.
      growth: watches them.
      failed: what Python raised on paths that end there.
      not_straight: nested functions without branches that Python cannot just call.
      found_late: those of which this has been found when the program was written down.
      exceptions: those that are caught.
      deferred: what is wrong on paths with lists that may still be kept in another way; it is said
        again when the program is written down.
    """

    def __init__(
        self,
        frontend: Frontend,
        store: SharedTensors,
        kept: Kept,
        copied: bool = False,
    ):
        self.frontend, self.store, self.copied = frontend, store, copied
        self.lists, self.handing, self.lending, self.heap = (
            kept.lists, kept.handing, kept.lending, kept.heap
        )  # fmt: skip
        self.handing.begin()
        self.heap.begin()
        self.evaluations = kept.evaluations
        self.rooms = Rooms()
        self.shared_arrays = SharedArrays()
        self.recursion: Mapping[str, tuple[str, ...]] = {}
        self.evaluate = Evaluator(store, self.rooms, self.lists, kept.evaluations, kept.heap)
        self.instances: list[Instance] = []
        self.growth = Growth(self.instances, self.rooms, self.lists, self.handing, copied)
        self.failed: list[ProgramError] = []
        self.not_straight, self.found_late = set(kept.not_straight), kept.not_straight
        self.exceptions: list[Raised] = []
        self.deferred: list[ProgramError] = []
        self.free_reads: dict[tuple[int, str], tuple[FunctionType, str, Any]] = {}
        self._closures: dict[int, Callee | None] = {}
        self._sources = kept.sources
        self._queue: list[tuple[int, int, int, Instance, UnrolledBlock]] = []
        self._queued: set[tuple[str, UnrolledBlock]] = set()
        self._arrivals = itertools.count()

    # --- Instances -------------------------------------------------------------------------

    def instance(
        self,
        callee: Callee,
        arguments: dict[str, Operand],
        span: Span,
        caught: tuple[type, ...] = (),
    ) -> Instance:
        """The specialization that serves a call, widened to its arguments.

        Args:
          callee: the function.
          arguments: by parameter.
          span: of the call.
          caught: the classes of exceptions that are caught around it.
        """
        check_static(callee, arguments, span)
        code = callee.function.__code__
        lent = self.lending.lent(code, arguments, span) if self.instances else ()
        arguments = as_parameters(code, lent, arguments)
        for known in self.instances:
            if (known.caught, known.lent) != (caught, lent) or not known.callee.same(callee):
                continue
            if _may_raise(code) and known.called_at != span:
                continue
            if fits(callee, known.params, arguments):
                self._widen(known, arguments, span)
                return known
        source = self.lower(callee)
        if _may_raise(code):
            source = seen_from(source, span)
        name = source.name  # that of a lambda is not its `__name__`
        same_name = sum(i.source.name == name for i in self.instances)
        if sum(i.callee.same(callee) for i in self.instances) >= MAX_INSTANCES:
            raise ProgramError(report.TooManyInstances(span, name, MAX_INSTANCES))
        self.growth.check(callee, arguments, span)
        params = {p: operand.value for p, operand in arguments.items()}
        if not self.instances:
            copying = with_copies_of_arguments(source, code, self.lists)
            copying = with_heap(copying, self.heap)
            if copying is not source or code in self.lending.places:
                source, callee = copying, dataclasses.replace(callee, is_entry=True)
        source = receiving(handing_back(source, lent), params)
        unique = f"{source.name}~{same_name + 1}" if same_name else source.name
        created = Instance(callee, source, unique, params, span, caught, lent)
        self.instances.append(created)
        self._enter(created)
        return created

    def _widen(self, instance: Instance, arguments: dict[str, Operand], span: Span) -> None:
        widened = False
        for name, old in instance.params.items():
            try:
                new = join(old, arguments[name].value)
            except Conflict as c:
                self.lists.reconcile(old, arguments[name].value)
                raise ProgramError(report.ArgumentConflict(
                    span, name + c.path, instance.source.name, str(c.right), str(c.left)
                )) from None  # fmt: skip
            widened |= changed(old, new)
            instance.params[name] = new
        if widened:
            self._enter(instance)

    def _enter(self, instance: Instance) -> None:
        span = instance.source.span
        env = {name: Binding(value, span) for name, value in instance.params.items()}
        self._flow(instance, instance.entry, env, span)

    def enqueue(self, instance: Instance, place: UnrolledBlock) -> None:
        """Have a block analysed: callees before callers, and loops before what follows them."""
        if (instance.name, place) not in self._queued:
            self._queued.add((instance.name, place))
            depth = -self.instances.index(instance)
            order = instance.order[place.label]
            heapq.heappush(self._queue, (depth, order, next(self._arrivals), instance, place))

    def run(self, step: Callable[[Instance, UnrolledBlock], None]) -> None:
        """Analyse until nothing changes; `step` runs one block on what is known there."""
        while self._queue:
            *_, instance, place = heapq.heappop(self._queue)
            self._queued.discard((instance.name, place))
            try:
                step(instance, place)
            except ProgramError as error:
                if not is_own_file(error.diagnostic.span.file):
                    raise
                of_call = dataclasses.replace(error.diagnostic, span=instance.called_at)
                raise ProgramError(of_call) from error.__cause__

    # --- Joins -----------------------------------------------------------------------------

    def place(self, instance: Instance, label: str, env: Environment, span: Span) -> UnrolledBlock:
        """Where a jump to `label` with these values goes."""
        live = instance.live[label]
        known = ((v, env[v].value) for v in live if v in env)
        keys = [(v, unroll_key(value)) for v, value in known if value is not None]
        context = tuple((v, k) for v, k in keys if k is not None)
        if any(k > MAX_UNROLL for _, k in context):
            raise ProgramError(report.UnrollTooLong(span, MAX_UNROLL))
        return UnrolledBlock(label, context)

    def _flow(self, instance: Instance, place: UnrolledBlock, env: Environment, span: Span) -> None:
        live = instance.live[place.label]
        arriving = {
            v: env.get(v, Binding(None, span)) for v in live if v not in instance.source.free
        }
        known = instance.places.get(place)
        if known is None:
            instance.places[place] = arriving
            self.enqueue(instance, place)
            return
        own = (self.lists, self.heap)
        flagged = instance.source.unbound
        joined = {
            v: joined_bindings(v, known[v], arriving[v], *own, v in flagged) for v in arriving
        }
        if any(changed(known[v].value, joined[v].value) for v in joined):
            instance.places[place] = joined
            self.enqueue(instance, place)

    def flow(self, instance: Instance, label: str, env: Environment, span: Span) -> None:
        self._flow(instance, self.place(instance, label, env, span), env, span)

    def returned(self, instance: Instance, value: Value, span: Span) -> None:
        """Note a `return`; the callers are analysed again if it changes the result."""
        value = expanded(value)
        known = instance.result
        try:
            joined = value if known is None else joined_values(known, value)
        except Conflict as c:
            assert instance.result is not None
            is_entry = instance is self.instances[0]
            self.lists.reconcile(instance.result, value, named=not is_entry)
            self.heap.note_met(instance.result.tree, value.tree)
            where = elsewhere(instance.result_span or span, span)
            if is_entry:
                check_presentable(known or value, span)
                check_presentable(value, span)
            known_as = (instance.source.name, instance.result, value, where, span)
            conflict = report.ResultConflict(span, str(c.right), str(c.left), where)
            raise ProgramError(none_beside_result(*known_as) or conflict) from None
        check_end(joined, f"the result of `{instance.source.name}`", span, self.heap)
        instance.result_span = instance.result_span or span
        if changed(instance.result, joined):
            instance.result = joined
            for caller, place in instance.callers.values():
                self.enqueue(caller, place)

    def exception(self, raised: Raised) -> int:
        """The number of an exception."""
        if raised not in self.exceptions:
            self.exceptions.append(raised)
        return self.exceptions.index(raised)

    def gives_back(self, instance: Instance, number: int) -> None:
        """Note an exception that a function gives back; its callers are analysed again."""
        if number not in instance.raised:
            instance.raised.add(number)
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
        if not isinstance(tree, pytree.Node) or tree.type is not Closure:
            return None
        key = id(tree.meta)
        if key not in self._closures:
            known = (x.value if isinstance(x, Static) else None for x in function.leaves)
            self._closures[key] = self.frontend.closure(pytree.unflatten(tree, known))
        return self._closures[key]

    def close(self) -> None:
        """Find recursions and lay out buffers, when the analysis has ended."""
        called: dict[str, tuple[str, ...]] = {i.name: () for i in self.instances}
        for callee in self.instances:
            for caller, _ in callee.callers.values():
                called[caller.name] += (callee.name,)
        recursive = graph.cyclic(called)
        self.recursion = {
            name: members
            for members in map(tuple, graph.components(called))
            for name in members
            if name in recursive
        }
        self.rooms.close(leaf for i in self.instances for leaf in i.buffers())

    def lower(self, callee: Callee) -> ir.Function:
        """The source form of a function, made once."""
        for known, source in self._sources:
            if known.same(callee):
                return source
        source = self.frontend.lower(callee)
        self._sources.append((callee, source))
        return source


def _may_raise(code: types.CodeType) -> bool:
    """Whether code is that of a class in plain Python which raises what Python does."""
    return any(known.may_raise(code) for known in (dispatch, prelude, row_lists))
