"""One function for one signature, ready to run under any strategy."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.backend import garbage, rows
from pcbatch.errors import ArgumentError
from pcbatch.ir.analysis import calls
from pcbatch.ir.block_counts import Stats
from pcbatch.local_static import LocalStatic
from pcbatch.passes.lowering import to_stack
from pcbatch.passes.pipeline import lower_simplified, simplify
from pcbatch.runtime import (
    driver,
    fewer_lanes,
    first_slices,
    shards,
    stack_growth,
    thread_pool,
)
from pcbatch.runtime.arguments import Arguments
from pcbatch.runtime.control.from_options import NewRun, begin
from pcbatch.runtime.optimizations import PASSES
from pcbatch.runtime.options import RunOptions
from pcbatch.runtime.outcome import fault_table, faults, status
from pcbatch.runtime.result import Result, Status
from pcbatch.runtime.specialized_program import SpecializedProgram
from pcbatch.vm.block_info import Prepared, prepare
from pcbatch.vm.carry import Start, State
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.first_slice import FirstSlice
from pcbatch.vm.launch import members_of_parts, parts
from pcbatch.vm.machine import Machine


class Specialization(SpecializedProgram):
    """A function for one signature of arguments, with the machines that run it."""

    def _begin(self) -> None:
        super()._begin()
        self._lock = threading.Lock()
        self._programs: dict[Any, Prepared] = {}
        self._machines: dict[Any, Machine] = {}
        self._cuts: dict[Any, shards.Cut] = {}
        self._firsts: dict[Machine, FirstSlice] = {}
        self._locals: dict[Any, LocalStatic] = {}

    @garbage.of_new_objects
    def machine(self, batch_size: int, options: RunOptions, parts: int = 1) -> Machine:
        """The machine for a batch size; made once.

        Args:
          batch_size: of one part of the batch.
          options: how it runs.
          parts: how many run at the same time, of which each has its share of `max_tape_bytes` and
            `max_stack_bytes`.
        """
        tapes = options.max_tape_bytes and options.max_tape_bytes // parts
        stacks = options.max_stack_bytes and options.max_stack_bytes // parts
        depth = options.max_stack_depth
        how = (options.schedule, options.jit, depth, options.without, tapes, stacks)
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
        members = members_of_parts(batch_size, cut.members)
        machine = self.machine(cut.lanes, options, len(members))
        named = dict(zip(machine.program.inputs, inputs, strict=True))
        if tf.inside_function():
            end = machine.run_in_graph(named, shared, options.max_steps)
            return self.outcome(machine, end, shared)
        starts = parts(named, members, cut.lanes)
        return self.run_parts(machine, members, starts, named, shared, options)

    def run_parts(
        self,
        machine: Machine,
        members: Sequence[int],
        starts: list[Start | State],
        named: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        options: RunOptions,
    ) -> Result:
        """Run the machine on the parts of a batch.

        Args:
          machine: what runs.
          members: how many each part has.
          starts: where each begins; the list is changed.
          named: the inputs of all members together, by name.
          shared: the shared values by name.
          options: how.
        """
        ends = self._ended_at_once(machine, starts, shared, options)
        moves = fewer_lanes.may_move(machine, options)
        if ends is None:
            hooks = begin(self.new_run(machine, members, named, shared, options), starts)
            ends = driver.run(
                machine, starts, shared, options.max_steps, hooks, options.max_stack_bytes, moves
            )
        results = [
            self.outcome(machine, end, shared, len(ends), here)
            for end, here in zip(ends, members, strict=True)
        ]
        heard = any(end.reason is Reason.CANCELLED for end in ends)
        waiting = fewer_lanes.waiting(machine, ends, members) if moves else None
        del ends  # their stacks, before results are copied
        starts.clear()
        result = shards.merge(results)
        if waiting is not None:
            result = self._go_on(waiting, result, shared, options)
        return dataclasses.replace(result, interrupted=True) if heard else result

    def _go_on(
        self, waiting: fewer_lanes.Waiting, result: Result, shared: Any, options: RunOptions
    ) -> Result:
        """Let members go on in lanes of their own that had no room on their tapes."""
        count = len(waiting.members)
        machine = self.machine(count, options)
        limit = options.max_stack_bytes or stack_growth.default_limit()
        start = fewer_lanes.begin(machine, waiting, limit)
        if start is None:
            return result
        after = self.run_parts(machine, [count], [start], {}, shared, options)
        return fewer_lanes.put_together(result, waiting.members, after)

    def _ended_at_once(
        self, machine: Machine, starts: list[Start | State], shared: Any, options: RunOptions
    ) -> tuple[FinalState, ...] | None:
        """Where each part of a run ends, if all end in their first slices, see `first_slices`.

        Nobody wants to see those slices, or to stop them.
        """
        wanted = options.max_steps or options.keeps or options.progress
        goes_on = any(isinstance(start, State) for start in starts)
        if wanted or goes_on or machine.calls_host or not machine.launch.in_loop:
            return None
        return first_slices.run(self._first_slice(machine), machine, starts, shared)

    def _first_slice(self, machine: Machine) -> FirstSlice:
        with self._lock:
            if machine not in self._firsts:
                self._firsts[machine] = FirstSlice(machine)
            return self._firsts[machine]

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
