"""One function for one signature: inferred, lowered, and ready to run under any strategy."""

from __future__ import annotations

import copy
import dataclasses
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import frontend, ir
from pcbatch.backend import rows
from pcbatch.errors import ArgumentError, ProgramError
from pcbatch.infer import Frontend, Inferred, infer
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import Callee
from pcbatch.infer.domain import (
    BufferRef,
    Leaf,
    Shared,
    Static,
    Tensor,
    Value,
    carried,
    is_empty,
    is_number,
)
from pcbatch.infer.store import Origin, SharedTensors
from pcbatch.ir import BufferType
from pcbatch.ir.analysis import calls
from pcbatch.ir.block_counts import Stats
from pcbatch.ir.printer import to_text
from pcbatch.local_static import LocalStatic
from pcbatch.passes.lowering import to_stack
from pcbatch.passes.pipeline import lower_simplified, simplify
from pcbatch.passes.tracing import Traced
from pcbatch.runtime import driver, shards, thread_pool
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.control.fingerprint import digest
from pcbatch.runtime.control.from_options import NewRun, begin
from pcbatch.runtime.optimizations import PASSES
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.outcome import fault_table, faults, status
from pcbatch.runtime.result import Result, Status
from pcbatch.semantics import change_detection, pytree
from pcbatch.semantics.faults import Checks, checking
from pcbatch.semantics.lists import CAPACITY, ListLayout, presented
from pcbatch.semantics.numbers.widths import Widths, constant, literal, using
from pcbatch.vm.block_info import Prepared, calls_host, prepare
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.launch import members_of_parts, parts
from pcbatch.vm.machine import Machine


class Specialization:
    """A function for one signature of arguments.

    Attributes:
      inferred: the typed program.
      list_capacity: how many elements lists that grow have room for.
      grows: whether there are such lists.
      simplified: its call form after the passes (local static runs it).
      stack: its stack form (the machine runs it).
      stages: the text of each stage by name.
      seconds: what the front end and the passes took.
      pullbacks: what takes adjoints back through it, by what a tape has watched.
    """

    def __init__(
        self,
        callee: Callee,
        arguments: Arguments,
        source: Frontend,
        checks: Checks = True,
        list_capacity: int = CAPACITY,
    ):
        began = time.perf_counter()
        store = SharedTensors()
        abstract = arguments.abstract(store)
        with checking(checks), using(arguments.widths):
            self.inferred: Inferred = infer(callee, abstract, source, store, list_capacity)
        self._widths = arguments.widths
        self.name = callee.function.__name__
        self.list_capacity, self.grows = list_capacity, self.inferred.grows
        self._static = [(x.path, x.value) for x in arguments.leaves if x.axis == "static"]
        self._objects = [(x, change_detection.attributes(x)) for x in self.inferred.objects]
        self._defaults = [(x, change_detection.snapshot(x)) for x in self.inferred.defaults]
        self._free = [(f, n, self._marks(f, n)) for f, n, _ in self.inferred.free]
        self._check_result(callee, source)
        self.stages: dict[str, Callable[[], str]] = {
            "source": lambda: to_text(source.lower(callee)),
            "typed": lambda: to_text(self.inferred.program),
        }
        typed = time.perf_counter()
        self._known = known = Traced(self.inferred.program)
        self.simplified: ir.Program = simplify(
            self.inferred.program, knowledge=known, after=self._note
        )
        self.stack: ir.StackProgram = lower_simplified(
            self.simplified, knowledge=known, after=self._note
        )
        self.seconds = {"front end": typed - began, "passes": time.perf_counter() - typed}
        self._begin()

    def _begin(self) -> None:
        """Forget what has been made of the program."""
        self._lock = threading.Lock()
        self._programs: dict[Any, Prepared] = {}
        self._machines: dict[Any, Machine] = {}
        self._cuts: dict[Any, shards.Cut] = {}
        self._locals: dict[Any, LocalStatic] = {}
        self.pullbacks: dict[Any, Any] = {}

    def with_program(self, program: ir.Program, result: Value) -> Specialization:
        """The same with a typed program that another one was made of, and its result."""
        other = copy.copy(self)
        other._begin()
        other.inferred = dataclasses.replace(self.inferred, program=program, result=result)
        other._known = Traced(program)
        other.simplified = simplify(program, knowledge=other._known)
        other.stack = lower_simplified(other.simplified, knowledge=other._known)
        return other

    def _note(self, name: str, program: ir.Program | ir.StackProgram) -> None:
        self.stages[name] = lambda: to_text(program)

    def _check_result(self, callee: Callee, source: Frontend) -> None:
        result = self.inferred.result
        for path, leaf in zip(pytree.paths(result.tree), result.leaves, strict=True):
            known = isinstance(leaf, Static) and isinstance(leaf.value, ListLayout | None)
            if isinstance(leaf, Static) and not known and not is_number(leaf):
                span = source.lower(callee).span
                where = path[1:] or "all"
                raise ProgramError(report.NotATensor(span, where, repr(leaf.value)))

    @property
    def recurses(self) -> bool:
        """Whether the program needs stacks."""
        return any(isinstance(op, ir.Push) for b in self.stack.blocks for op in b.operations)

    @property
    def calls_host(self) -> bool:
        """Whether the program calls Python while it runs."""
        return calls_host(self.stack)

    def still_valid(self) -> bool:
        """Whether globals, closure variables and `self`'s attributes are as they were."""
        return (
            all(
                change_detection.unchanged(seen, change_detection.attributes(owner, seen))
                for owner, seen in self._objects
            )
            and all(
                change_detection.unchanged(seen, change_detection.snapshot(value, seen))
                for value, seen in self._defaults
            )
            and all(
                change_detection.unchanged(seen, self._marks(function, name, seen))
                for function, name, seen in self._free
            )
        )

    @staticmethod
    def _marks(
        function: FunctionType, name: str, known: Sequence[change_detection.Mark] = ()
    ) -> list[change_detection.Mark]:
        """What a function reads by a free name, now; `known`: what was read before."""
        root = frontend.free_value(function, name)
        return change_detection.of_name(root, frontend.read_values(function, name), known)

    def constants(self) -> str:
        """The digest of what the program has folded into its code."""
        free = [(f.__qualname__, name, seen) for f, name, seen in self.inferred.free]
        marks = [
            (f.__qualname__, name, change_detection.lasting(seen)) for f, name, seen in self._free
        ]
        objects = [change_detection.lasting(seen) for _, seen in self._objects]
        return digest([self._static, free, marks, objects])

    # --- Arguments and results -------------------------------------------------------------

    def entry_inputs(self, arguments: Arguments) -> tuple[tf.Tensor, ...]:
        """The entry function's parameters: batched leaves, in order.

        A shared leaf that the program mixes with batched values is a parameter, too.
        """
        values = []
        by_leaf = {(x.parameter, x.index): x for x in arguments.leaves}
        for parameter, value in self.inferred.params.items():
            for i, leaf in enumerate(value.leaves):
                if isinstance(leaf, Tensor) and carried(leaf):
                    given = by_leaf[parameter, i]
                    values.append(_as_batch(given.value, given.axis, leaf, arguments.batch_size))
        return tuple(values)

    def shared(self, arguments: Arguments) -> dict[str, tf.Tensor]:
        """The shared values as they are now."""
        return {
            name: self._resolve(origin, arguments) for name, origin in self.inferred.shared.items()
        }

    def captured(self, arguments: Arguments) -> list[Any]:
        """The tensors and the variables that the program reads and that are no arguments."""
        origins = [o for o in self.inferred.shared.values() if o.kind != "argument"]
        return [*self.inferred.captured, *(self._resolve(o, arguments) for o in origins)]

    def _resolve(self, origin: Origin, arguments: Arguments) -> tf.Tensor:
        match origin.kind:
            case "argument":
                return arguments.shared(origin.owner, origin.leaf)
            case "free":
                root = frontend.free_value(origin.owner, origin.name)
                leaves, _ = pytree.flatten(root, whole=True)
                return leaves[origin.leaf]
            case _:
                return origin.owner

    def value(
        self,
        outputs: tuple[tf.Tensor, ...],
        buffers: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        batch_size: int,
    ) -> Any:
        """The function's result from the program's outputs."""
        supply = iter(outputs)

        def leaf_value(leaf: Leaf) -> Any:
            match leaf:
                case Tensor(type_) | BufferRef(BufferType(whole=type_)) if is_empty(type_):
                    return tf.zeros([batch_size, *type_.shape], type_.dtype)
                case Tensor():
                    return next(supply)
                case Shared(name):
                    tensor = shared[name]
                    return tf.broadcast_to(tensor, [batch_size, *tensor.shape])
                case BufferRef():
                    which = next(supply) if carried(leaf) else None
                    return self._buffer(leaf, buffers, which)
                case Static(None):
                    return None
                case Static(ListLayout() as layout):
                    return layout
                case Static(number):
                    tensor = _constant(number, self._widths)
                    return tf.broadcast_to(tensor, [batch_size, *tensor.shape])

        result = self.inferred.result
        leaves = [leaf_value(x) for x in result.leaves]
        return presented(pytree.unflatten(result.tree, leaves))

    def _buffer(
        self, leaf: BufferRef, buffers: Mapping[str, tf.Tensor], which: tf.Tensor | None
    ) -> tf.Tensor:
        """What members have in a buffer, `[B, length, ...]`; `which`: see `infer.rooms`."""
        place = self.inferred.rooms.at(leaf)
        area, whole = buffers[place.area], leaf.type.whole
        if place.rooms == 1:
            return area
        rooms = tf.reshape(area, [area.shape[0], place.rooms, *whole.shape])
        if place.room is not None:
            return rooms[:, place.room]
        return tf.gather(rooms, tf.clip_by_value(which, 0, place.rooms - 1), batch_dims=1)

    def empty(self, arguments: Arguments) -> Result:
        """The result for a batch without members."""
        types = self.inferred.program.functions[self.inferred.program.entry].results
        outputs = tuple(tf.zeros([0, *t.shape], t.dtype) for t in types)
        buffers = {
            name: tf.zeros([0, t.length, *t.element.shape], t.element.dtype)
            for name, t in self.inferred.program.buffers.items()
        }
        value = self.value(outputs, buffers, self.shared(arguments), 0)
        return Result(value, tf.zeros([0], tf.int32), Stats(0, ()))

    # --- Running ---------------------------------------------------------------------------

    def machine(self, batch_size: int, options: RunOptions) -> Machine:
        """The machine for a batch size; made once."""
        how = (options.schedule, options.jit, options.max_stack_depth, options.without)
        key = (batch_size, options.optimize, *how)
        with self._lock:
            if key not in self._machines:
                self._machines[key] = Machine(self._prepared(options), batch_size, *how)
            return self._machines[key]

    def prepared(self, options: RunOptions) -> Prepared:
        """The program that the machine runs; made once."""
        with self._lock:
            return self._prepared(options)

    def _prepared(self, options: RunOptions) -> Prepared:
        without = options.without.intersection(PASSES)
        key = (options.optimize, without)
        if key not in self._programs:
            if not options.optimize:
                program = to_stack(self.inferred.program)
            elif without:
                call_form = self.call_form(options)
                program = lower_simplified(call_form, knowledge=self._known, without=without)
            else:
                program = self.stack
            self._programs[key] = prepare(program)
        return self._programs[key]

    def call_form(self, options: RunOptions) -> ir.Program:
        """The call form of what the machine runs with these options."""
        without = options.without.intersection(PASSES)
        if not options.optimize:
            return self.inferred.program
        if without:
            return simplify(self.inferred.program, knowledge=self._known, without=without)
        return self.simplified

    def local(self, batch_size: int, jit: bool) -> LocalStatic:
        with self._lock:
            if (batch_size, jit) not in self._locals:
                self._locals[batch_size, jit] = LocalStatic(self.simplified, batch_size, jit)
            return self._locals[batch_size, jit]

    def run(self, arguments: Arguments, options: RunOptions) -> Result:
        """Run a batch under "pc", "local" or "hybrid"."""
        if arguments.batch_size == 0:
            return self.empty(arguments)
        inputs, shared = self.entry_inputs(arguments), self.shared(arguments)
        if options.strategy == "pc":
            return self.run_program(inputs, shared, arguments.batch_size, options)
        if calls.differentiated(self.simplified):
            raise ArgumentError(
                f"{self.name} differentiates, and strategy {options.strategy!r} does not, as its "
                "members share one Python call\nhelp: leave the strategy out, or take 'loop'"
            )
        return self._run_local(inputs, shared, arguments.batch_size, options)

    def run_program(
        self, inputs: tuple[tf.Tensor, ...], shared: Any, batch_size: int, options: RunOptions
    ) -> Result:
        """Run the machine on the program's own inputs, `[B, ...]` each, and its shared values."""
        cut = self.cut(batch_size, options)
        machine = self.machine(cut.lanes, options)
        named = dict(zip(machine.program.inputs, inputs, strict=True))
        if tf.inside_function():
            end = machine.run_in_graph(named, shared, options.max_steps)
            return self.outcome(machine, end, shared)
        members = members_of_parts(batch_size, cut.members)
        starts = parts(named, members, cut.lanes)
        hooks = begin(self.new_run(machine, members, named, shared, options), starts)
        ends = driver.run(
            machine, starts, shared, options.max_steps, hooks, options.max_stack_bytes
        )
        results = [
            self.outcome(machine, end, shared, len(ends), here)
            for end, here in zip(ends, members, strict=True)
        ]
        heard = any(end.reason is Reason.CANCELLED for end in ends)
        del starts, ends  # their stacks, before results are copied
        result = shards.merge(results)
        return dataclasses.replace(result, interrupted=True) if heard else result

    def new_run(
        self,
        machine: Machine,
        members: Sequence[int],
        inputs: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        options: RunOptions,
    ) -> NewRun:
        """A run of the program as control knows it."""
        constants = self.constants() if options.keeps else ""
        return NewRun(self.name, machine, members, inputs, shared, constants, options)

    def cut(self, batch_size: int, options: RunOptions) -> shards.Cut:
        """How a batch is cut in a run with these options."""
        how = (options.schedule, options.jit, options.shards, options.optimize, options.without)
        key = (batch_size, thread_pool.cores(), tf.inside_function(), options.pad, *how)
        with self._lock:
            if key not in self._cuts:
                self._cuts[key] = shards.cut(batch_size, self._prepared(options), options)
            return self._cuts[key]

    def outcome(
        self,
        machine: Machine,
        end: FinalState,
        shared: Any,
        shards: int = 1,
        members: int | None = None,
    ) -> Result:
        """The result of a machine's run, or of one of its shards.

        Args:
          machine: what ran.
          end: where it ended.
          shared: the shared values by name.
          shards: how many there are.
          members: how many lanes hold one, the first ones; None: all.
        """
        stats = None
        if not tf.inside_function():
            stats = Stats(int(end.state.steps), machine.counts(end.state))
        members = machine.batch_size if members is None else members
        outputs = tuple(rows.first(x, members) for x in end.outputs)
        buffers = {name: rows.first(x, members) for name, x in end.buffers.items()}
        value = self.value(outputs, buffers, shared, members)
        meanings = faults(machine, end, shards)
        return Result(value, status(machine, end, members), stats, meanings, totals=end.totals)

    def _run_local(
        self, inputs: tuple[tf.Tensor, ...], shared: Any, batch_size: int, options: RunOptions
    ) -> Result:
        runner = self.local(batch_size, options.strategy == "hybrid")
        with self._lock:
            end = runner.run(inputs, shared, options.max_steps)
            counts = runner.counts()
        status = np.where(end.fault > 0, end.fault + Status.FAILED - 1, 0)
        stopped = Status.CANCELLED if end.cancelled else Status.STEP_LIMIT
        status = np.where(end.unfinished, int(stopped), status)
        value = self.value(end.outputs, end.buffers, shared, batch_size)
        table = fault_table(runner.faults)
        stats = Stats(end.steps, counts)
        return Result(value, tf.constant(status, tf.int32), stats, table, end.cancelled)


def _constant(number: Any, widths: Widths) -> tf.Tensor:
    """A result that is the same number for all members."""
    if isinstance(number, (np.ndarray, np.generic)):
        return tf.convert_to_tensor(number)
    with using(widths):
        return constant(number, literal(number).dtype)


def _as_batch(value: Any, axis: Any, leaf: Tensor, batch_size: int) -> tf.Tensor:
    tensor = tf.cast(value, leaf.type.dtype)
    if axis == 0:
        return tensor
    return tf.broadcast_to(tensor, [batch_size, *leaf.type.shape])
