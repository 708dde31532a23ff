"""The machine: one `tf.while_loop` over the carry, in one XLA computation.

The loop returns when no member can move (all have returned or failed, or the rest need deeper
stacks) and when the host wants it to; the host goes on from the carry that it got, see
`runtime.driver`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.backend.resource_variable import Variable
from pcbatch.backend.target import EAGER, PORTABLE, Target, this_machine
from pcbatch.vm import predicates, program_digest, stored_loop, uninitialized
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.carry import (
    NEVER,
    Areas,
    Make,
    Start,
    State,
    Stop,
    areas,
    enter,
    joined,
    rest_of,
    split,
    stop,
    stored,
)
from pcbatch.vm.context import Context
from pcbatch.vm.counted_blocks import CountedBlocks
from pcbatch.vm.eager import EagerRun
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.launch import Entry, Launch, number
from pcbatch.vm.pace import Pace
from pcbatch.vm.room import first_rows
from pcbatch.vm.sweep import schedule as schedules
from pcbatch.vm.sweep.plan import Plan, Stage
from pcbatch.vm.sweep.registry import plan_for
from pcbatch.vm.traced_function import TracedFunction

MOST_BYTES = 2**22
"""A run begins within its loop's program if its registers take no more: what stands in for them in
the first slice takes as much."""


class Machine:
    """A stack program, ready to run on batches of one size.

    Args:
      prepared: the program.
      batch_size: B, at least 1.
      schedule: one of `registry.SCHEDULES`.
      jit: compile with XLA; otherwise every step is run by TensorFlow's eager runtime, for
        debugging.
      max_stack_depth: the capacity of the stacks; None lets them grow.
      without: the names of optimizations to leave out, see `runtime.optimizations`.
      max_tape_bytes: the tapes never take more; None: see `runtime.stack_growth`.
      max_stack_bytes: the stacks do not begin with more; None: see `room.first_rows`.

    Attributes:
      pace: how fast it runs.
      costs: int64[blocks], what an execution of each block costs.
      counts: the counts per block of an eager state.
      calls_host: members wait for the host in the program.
      rows: by frame, how many each member has at first; of tapes as many as have been needed.

    Raises:
      ArgumentError: `max_tape_bytes` is too small to begin with.
    """

    def __init__(
        self,
        prepared: Prepared,
        batch_size: int,
        schedule: str,
        jit: bool,
        max_stack_depth: int | None,
        without: frozenset[str] = frozenset(),
        max_tape_bytes: int | None = None,
        max_stack_bytes: int | None = None,
    ):
        self.program, self.layout, self._prepared = prepared.program, prepared.layout, prepared
        self.batch_size, self.schedule, self.jit = batch_size, schedule, jit
        self.calls_host = prepared.calls_host
        self._without = without
        self.context, self._plan = self._planned(PORTABLE if jit else EAGER)
        self.max_stack_depth, self.max_tape_bytes = max_stack_depth, max_tape_bytes
        limits = (max_stack_depth, max_tape_bytes, max_stack_bytes)
        self.rows = first_rows(self.layout, batch_size, jit, *limits)
        self.pace = Pace()
        self.costs = predicates.costs(self.context)
        target = this_machine()
        self._in_kernels, self._plan_in_kernels = self._planned(target)
        in_place = TracedFunction(self._loop_in_place, jit=True)
        how = (batch_size, schedule, max_stack_depth, without)
        digest = functools.partial(program_digest.digest, prepared, target, how)
        self._lowering = stored_loop.Lowering(self._loop_of_values, digest)
        loop = stored_loop.stored(self._loop_of_values, in_place, prepared, target, how)
        self._in_place = loop if jit and loop else in_place
        self.launch = Launch(prepared, batch_size, jit, in_loop=jit and self._is_small())
        whole = (batch_size,) * len(self.context.codes)
        lanes = self._plan_in_kernels.lanes(self._in_kernels) if jit else whole
        self.counts = CountedBlocks(self.context.codes, lanes)
        self._refill = TracedFunction(self._with_fresh, jit=False)
        self._by_member = TracedFunction(self._buffers_by_member, jit=False)
        self._whole = TracedFunction(
            functools.partial(self._from_inputs, self.context, self._plan), jit=True
        )
        self._running = TracedFunction(
            functools.partial(self._from_inputs, self._in_kernels, self._plan_in_kernels), jit=True
        )
        self._stepper = EagerRun(self.context, self._plan)

    def _planned(self, target: Target) -> tuple[Context, Plan]:
        context = Context(self._prepared, self.batch_size, target)
        plan = plan_for(context, self.schedule, self._without)
        return context.compiled_as(plan.forms, plan.outlines), plan

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What a turn consists of on this machine."""
        return self._plan_in_kernels.stages

    def _is_small(self) -> bool:
        """Whether the loop is one kernel, with few numbers: then calls cost more than it does."""
        kernels = schedules.kernels_of_all(self._in_kernels, self._plan_in_kernels)
        return kernels is not None and self._prepared.register_bytes * self.batch_size <= MOST_BYTES

    def _areas(self, make: Make, make_spill: Make) -> Areas:
        return areas(self.layout, self.batch_size, self.rows, make, make_spill)

    def _initial(self, inputs: Mapping[str, tf.Tensor]) -> State:
        rest = self.launch.initial(Start(inputs, tf.constant(self.batch_size)))
        return joined(rest, self._areas(tf.zeros, tf.zeros))

    def _from_inputs(
        self,
        context: Context,
        plan: Plan,
        inputs: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        steps: tf.Tensor,
    ) -> State:
        state, never = self._initial(inputs), tf.constant(NEVER, tf.int64)
        return self._loop(context, plan, state, shared, Stop(steps, never))

    def _with_fresh(self, state: State, fresh: tf.Tensor, inputs: Mapping[str, tf.Tensor]) -> State:
        return enter(state, fresh, self._initial(inputs))

    def _buffers_by_member(self, *areas: tf.Tensor) -> list[tf.Tensor]:
        return [
            tf.reshape(area, [self.batch_size, t.length, *t.element.shape])
            for area, t in zip(areas, self.layout.buffers.values(), strict=True)
        ]

    def _loop(
        self,
        context: Context,
        plan: Plan,
        state: State,
        shared: Mapping[str, tf.Tensor],
        stop: Stop,
        entry: Entry | tuple[()] = (),
    ) -> State:
        def run(
            state: State, shared: Mapping[str, tf.Tensor], stop: Stop, entry: Entry | tuple[()]
        ) -> State:
            def may_go_on(state: State) -> tf.Tensor:
                return predicates.may_go_on(context, state, stop)

            if entry:
                state = self.launch.entered(entry, state)
            return schedules.run_turns(context, plan, state, shared, may_go_on)

        kernels = schedules.kernels_of_all(context, plan)
        if kernels is not None:
            return kernels.call("all", run, state, shared, stop, entry)
        return run(state, shared, stop, entry)

    def _loop_in_kernels(self, rest: State, areas: Areas, *arguments: Any) -> State:
        """The loop as it is compiled; `arguments`: as of `_loop`, from the shared values on."""
        context, plan = self._in_kernels, self._plan_in_kernels
        return self._loop(context, plan, joined(rest, areas), *arguments)

    def _loop_in_place(self, rest: State, areas: Areas, *arguments: Any) -> State:
        return stored(self._loop_in_kernels(rest, areas, *arguments), areas)

    def _loop_of_values(self, rest: State, areas: Areas, *arguments: Any) -> tuple[State, Areas]:
        return split(self._loop_in_kernels(rest, areas, *arguments))

    def lowered(self, carry: State, shared: Mapping[str, Any]) -> stored_loop.Lowered:
        """The loop as other processes can run it, for a carry and shared values of these types.

        It takes a carry without its areas, the areas, the shared values and a `Stop`.
        """
        return self._lowering(*split(carry), shared, stop(), ())

    # --- Running ---------------------------------------------------------------------------

    def compile(self, inputs: Mapping[str, Any], shared: Mapping[str, Any]) -> None:
        """Trace for these arguments without running."""
        rest, entry = self.launch.expected(inputs)
        self._in_place.trace(rest, self._areas(Variable, Variable), shared, stop(), entry)

    def compiler_ir(
        self,
        inputs: Mapping[str, Any],
        shared: Mapping[str, Any],
        dialect: str,
        kernels: bool = False,
    ) -> str:
        """The compiled program as text.

        Args:
          inputs, shared: arguments, or their specs.
          dialect: "stablehlo", "hlo" or "optimized_hlo".
          kernels: as a run on this machine has it (see `outlining`), not as it goes elsewhere.
        """
        steps = tf.constant(NEVER, tf.int64)
        program = self._running if kernels else self._whole
        return program.compiler_ir(dialect, inputs, shared, steps)

    def begin(self, inputs: Mapping[str, Any]) -> State:
        """The carry before the first step."""
        return self.whole_carry(Start(inputs, number(self.batch_size)))

    def whole_carry(self, start: State | Start) -> State:
        """The carry before the first step, or the carry that it is already."""
        if not isinstance(start, Start):
            return start
        return joined(self.launch.carry(start), self.unused_areas())

    def unused_areas(self) -> Areas:
        """The areas of a carry before the first step."""
        return self._areas(tf.zeros, uninitialized.unset)

    def beginning(self, begin: State | Start) -> tuple[State | Start, Areas]:
        """A carry without its areas, or where the run begins within the loop; and the areas."""
        if not isinstance(begin, Start):
            return split(begin)
        rest = begin if self.launch.in_loop else self.launch.carry(begin)
        return rest, self.unused_areas()

    def begun(self, rest: State | Start) -> State:
        """The carry without its areas, eager, whether it has been made or not."""
        return self.launch.carry(rest)

    def refill(self, state: State, fresh: tf.Tensor, inputs: Mapping[str, Any]) -> State:
        """Let new members into some lanes.

        Args:
          state: where the others are.
          fresh: bool[B], the lanes.
          inputs: as for `begin`; what stands in other lanes does not matter.
        """
        return self._refill(state, fresh, inputs)

    def advance_in_place(
        self, rest: State | Start, areas: Areas, shared: Mapping[str, Any], stop: Stop
    ) -> State:
        """Run until no member can move, or `stop` says so.

        Args:
          rest: the carry without its areas, or where the run begins.
          areas: its areas, variables, which are changed.
          shared: the shared values by name.
          stop: when the loop returns though members can move.

        Returns:
          The carry without its areas.
        """
        if not self.jit:
            state = joined(self.launch.carry(rest), areas)
            return stored(self._stepper.run(state, shared, stop), areas)
        rest, entry = self.launch.given(rest)
        return self._in_place(rest, areas, shared, stop, entry)

    def prepared_call(self, *args: Any) -> Callable[[list[Any]], State] | None:
        """What runs the compiled loop on a flat list of arguments of the types of these.

        Args:
          *args: what the loop takes; variables are given as their handles.

        Returns:
          It, which returns the carry without its areas; None until the program has run once.
        """
        call = self._in_place.prepared(*args)
        if call is None:
            return None
        registers, pointers = len(self.layout.registers), len(self.layout.frames)
        return lambda given: rest_of(call(given), registers, pointers)

    def run_in_graph(
        self,
        inputs: Mapping[str, Any],
        shared: Mapping[str, Any],
        max_steps: int | None,
        target: Target = PORTABLE,
    ) -> FinalState:
        """Run within a graph that another runs, where no host can help.

        Args:
          inputs, shared: the arguments by name.
          max_steps: after so many steps it ends; None: when all members have ended.
          target: what will run it.
        """
        steps = tf.constant(NEVER if max_steps is None else max_steps, tf.int64)
        if target is PORTABLE:
            return self.finished(self._whole(inputs, shared, steps), None)
        return self.finished(self._from_inputs(*self._planned(target), inputs, shared, steps), None)

    def work(self, state: State | Start) -> int:
        """What an eager state has cost so far, see `predicates.work`."""
        return 0 if isinstance(state, Start) else int(state.executions.numpy() @ self.costs)

    def all_have_ended(self, state: State) -> bool:
        """Whether no member is left in an eager state that could ever move."""
        return bool((state.pc.numpy() == self.context.halt).all())

    # --- Results ---------------------------------------------------------------------------

    def finished(self, state: State, reason: Reason | None) -> FinalState:
        """What a state says about the run that has come to it."""
        registers = dict(zip(self.layout.registers, state.registers, strict=True))
        by_member = self._by_member(*state.buffers) if state.buffers else ()
        ended = reason is Reason.ENDED or (reason is not None and self.all_have_ended(state))
        overflow = self._none if ended else predicates.overflowing(self.context, state)
        return FinalState(
            outputs=tuple(registers[name] for name in self.program.outputs),
            buffers=dict(zip(self.layout.buffers, by_member, strict=True)),
            totals=dict(zip(self.layout.totals, state.totals, strict=True)),
            pc=state.pc,
            fault=state.fault,
            overflow=overflow,
            state=state,
            reason=reason,
            returned=ended and not state.fault.numpy().any(),
        )

    @functools.cached_property
    def _none(self) -> tf.Tensor:
        """bool[B]: no member."""
        with tf.init_scope():
            return tf.zeros([self.batch_size], tf.bool)
