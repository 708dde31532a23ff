"""The machine: one `tf.while_loop` over the carry, in one XLA computation.

The loop returns when no member can move (all have returned or failed, or the rest need deeper
stacks) and when the host wants it to; the host goes on from the carry that it got, see `driver`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch import structure
from pcbatch.kernel import Kernel
from pcbatch.stats import BlockCount, first_line
from pcbatch.variables import Variable
from pcbatch.vm import conditions, driver, memory
from pcbatch.vm import schedule as schedules
from pcbatch.vm.blocks import Blocks
from pcbatch.vm.code import Prepared
from pcbatch.vm.growth import Growth, default_limit
from pcbatch.vm.held import Held
from pcbatch.vm.host import HostCalls
from pcbatch.vm.one_kernel import Kernels
from pcbatch.vm.plan import Stage
from pcbatch.vm.state import (
    NEVER,
    Areas,
    Make,
    Start,
    State,
    Stop,
    areas,
    enter,
    initial,
    joined,
    split,
    stop,
    stored,
)
from pcbatch.vm.stepper import Stepper

FIRST_CAPACITY = 16
MOST_BYTES = 2**22
"""A run begins within its loop's program if its registers take no more: what stands in for them in
the first slice takes as much."""


class _Entry(NamedTuple):
    """What a program that begins a run needs.

    Attributes:
      fresh: bool[], whether the run begins; else it goes on from a carry.
      members, inputs: see `Start`.
    """

    fresh: tf.Tensor
    members: tf.Tensor
    inputs: Mapping[str, tf.Tensor]


@dataclasses.dataclass(frozen=True)
class Finished:
    """Where a run ended.

    Attributes:
      outputs: the values of the program's outputs, `[B, ...]`.
      buffers: by name, `[B, length, ...]`.
      pc, fault, overflow: int32[B], int32[B], bool[B].
      state: the carry, from which the run can go on.
      reason: why the run is over; None inside a `tf.function`.
      returned: whether it is known that all have returned.
    """

    outputs: tuple[tf.Tensor, ...]
    buffers: Mapping[str, tf.Tensor]
    pc: tf.Tensor
    fault: tf.Tensor
    overflow: tf.Tensor
    state: State
    reason: driver.Reason | None
    returned: bool = False


class Machine:
    """A stack program, ready to run on batches of one size.

    Args:
      prepared: the program.
      batch_size: B, at least 1.
      schedule: one of `schedules.SCHEDULES`.
      jit: compile with XLA; otherwise every step is run by TensorFlow's eager runtime, for
        debugging.
      max_stack_depth: the capacity of the stacks; None lets them grow.
      without: the names of optimizations to leave out, see `pcbatch.optimizations`.

    Attributes:
      pace: how fast it runs.
    """

    def __init__(
        self,
        prepared: Prepared,
        batch_size: int,
        schedule: str,
        jit: bool,
        max_stack_depth: int | None,
        without: frozenset[str] = frozenset(),
    ):
        self.program, self.layout, self._prepared = prepared.program, prepared.layout, prepared
        self.batch_size, self.schedule, self.jit = batch_size, schedule, jit
        self.blocks = Blocks(prepared, batch_size, xla=jit, without=without)
        self.max_stack_depth = max_stack_depth
        self.pace = driver.Pace()
        self._costs = conditions.costs(self.blocks)
        self._begin = Kernel(self._initial, jit=jit)
        self._begin_part = Kernel(self._initial_part, jit=jit)
        self._in_place = Kernel(self._loop_in_place, jit=True)
        kernels = None if tf.config.list_logical_devices("GPU") else Kernels()
        self._in_kernels = Blocks(prepared, batch_size, True, kernels, without)
        self._begins_in_loop = jit and self._is_small()
        self._lanes = schedules.lanes(self._in_kernels, schedule if jit else "switch")
        self._refill = Kernel(self._with_fresh, jit=False)
        self._by_member = Kernel(self._buffers_by_member, jit=False)
        self._whole = Kernel(functools.partial(self._from_inputs, self.blocks), jit=True)
        self._running = Kernel(functools.partial(self._from_inputs, self._in_kernels), jit=True)
        self._stepper = Stepper(self.blocks, schedule)

    @property
    def capacity(self) -> int:
        if not self.layout.frames:
            return 0
        return FIRST_CAPACITY if self.max_stack_depth is None else self.max_stack_depth

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What a turn of the sweep consists of on this machine; nothing under the switch."""
        return schedules.stages(self._in_kernels, self.schedule)

    def _is_small(self) -> bool:
        """Whether the loop is one kernel, with few numbers: then calls cost more than it does."""
        types = (self.program.types[name] for name in self.layout.registers)
        sizes = (math.prod(t.shape) * tf.as_dtype(t.dtype).size for t in types)
        one_kernel = schedules.kernels_of_all(self._in_kernels, self.schedule) is not None
        return one_kernel and sum(sizes) * self.batch_size <= MOST_BYTES

    def _areas(self, make: Make, make_spill: Make) -> Areas:
        return areas(self.layout, self.batch_size, self.capacity, make, make_spill)

    def _initial(self, inputs: Mapping[str, tf.Tensor]) -> State:
        return initial(self.program, self.layout, inputs, self.batch_size)

    def _initial_part(self, inputs: Mapping[str, tf.Tensor], first: tf.Tensor) -> State:
        members = first + tf.range(self.batch_size)
        size = next(iter(inputs.values())).shape[0]
        own = {n: tf.gather(x, tf.minimum(members, size - 1)) for n, x in inputs.items()}
        state = self._initial(own)
        return state._replace(pc=tf.where(members < size, state.pc, self.blocks.halt))

    def _from_inputs(
        self,
        blocks: Blocks,
        inputs: Mapping[str, tf.Tensor],
        shared: Mapping[str, tf.Tensor],
        steps: tf.Tensor,
    ) -> State:
        state = joined(self._initial(inputs), self._areas(tf.zeros, tf.zeros))
        return self._loop(blocks, state, shared, Stop(steps, tf.constant(NEVER, tf.int64)))

    def _with_fresh(self, state: State, fresh: tf.Tensor, inputs: Mapping[str, tf.Tensor]) -> State:
        return enter(state, fresh, joined(self._initial(inputs), self._areas(tf.zeros, tf.zeros)))

    def _buffers_by_member(self, *areas: tf.Tensor) -> list[tf.Tensor]:
        return [
            tf.reshape(area, [self.batch_size, t.length, *t.element.shape])
            for area, t in zip(areas, self.layout.buffers.values(), strict=True)
        ]

    def _loop(
        self,
        blocks: Blocks,
        state: State,
        shared: Mapping[str, tf.Tensor],
        stop: Stop,
        entry: _Entry | tuple[()] = (),
    ) -> State:
        def run(
            state: State, shared: Mapping[str, tf.Tensor], stop: Stop, entry: _Entry | tuple[()]
        ) -> State:
            def may_go_on(state: State) -> tf.Tensor:
                return conditions.may_go_on(blocks, state, stop)

            if entry:
                state = self._entered(_Entry(*entry), state)
            return schedules.run_turns(blocks, self.schedule, state, shared, may_go_on)

        kernels = schedules.kernels_of_all(blocks, self.schedule)
        if kernels is not None:
            return kernels.call("all", run, state, shared, stop, entry)
        return run(state, shared, stop, entry)

    def _entered(self, entry: _Entry, state: State) -> State:
        """The carry before the first step, if this is the first slice; else the carry."""
        begun = self._initial(entry.inputs)
        here = tf.range(self.batch_size) < entry.members
        begun = begun._replace(pc=tf.where(here, begun.pc, self.blocks.halt))
        rest, areas = split(state)
        new = functools.partial(tf.where, entry.fresh)
        return joined(tf.nest.map_structure(new, split(begun)[0], rest), areas)

    def _loop_in_place(
        self,
        rest: State,
        areas: Areas,
        shared: Mapping[str, tf.Tensor],
        stop: Stop,
        entry: _Entry | tuple[()],
    ) -> State:
        state = joined(rest, areas)
        return stored(self._loop(self._in_kernels, state, shared, stop, entry), areas)

    @functools.cached_property
    def _nobody(self) -> tuple[_Entry, State]:
        """What stands for an entry where the run has begun, and for a carry where it has not."""
        with tf.init_scope():
            inputs = {
                name: tf.zeros([self.batch_size, *self.program.types[name].shape], t.dtype)
                for name, t in ((n, self.program.types[n]) for n in self.program.inputs)
            }
            entry = _Entry(tf.constant(False), tf.constant(0), inputs)
            return entry, split(self._initial(inputs))[0]

    # --- Running ---------------------------------------------------------------------------

    def compile(self, inputs: Mapping[str, Any], shared: Mapping[str, Any]) -> None:
        """Trace for these arguments without running."""
        areas = self._areas(Variable, Variable)
        if self._begins_in_loop:
            entry, rest = self._nobody
            self._in_place.trace(rest, areas, shared, stop(), entry)
            return
        begin = self._begin.trace(inputs)
        rest = structure.unflatten(begin.tree, begin.results)
        self._in_place.trace(rest, areas, shared, stop(), ())

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
          kernels: as a run on this machine has it (see `one_kernel`), not as it goes elsewhere.
        """
        steps = tf.constant(NEVER, tf.int64)
        program = self._running if kernels else self._whole
        return program.compiler_ir(dialect, inputs, shared, steps)

    def start(self, inputs: Mapping[str, Any]) -> Start | State:
        """Where a run begins: `begin`, or less where the loop's program does that, too."""
        if not self._begins_in_loop:
            return self.begin(inputs)
        return Start(inputs, _number(self.batch_size))

    def start_parts(self, inputs: Mapping[str, Any], size: int) -> list[Start | State]:
        """Where the parts of a larger batch begin; lanes left over in the last one are empty.

        Args:
          inputs: by variable, `[size, ...]` each.
          size: of the larger batch.
        """
        firsts = range(0, size, self.batch_size)
        if not self._begins_in_loop:
            begun = (self._begin_part(inputs, _number(first)) for first in firsts)
            return [joined(rest, self.unused_areas()) for rest in begun]
        empty = len(firsts) * self.batch_size - size
        parts = {
            name: tf.raw_ops.Split(
                axis=0, value=tf.concat([x, x[:empty]], 0) if empty else x, num_split=len(firsts)
            )
            for name, x in inputs.items()
        }
        return [
            Start(
                {name: part[i] for name, part in parts.items()}, _number(min(rest, self.batch_size))
            )
            for i, rest in enumerate(size - first for first in firsts)
        ]

    def begin(self, inputs: Mapping[str, Any]) -> State:
        """The carry before the first step."""
        return joined(self._begin(inputs), self.unused_areas())

    def carry(self, rest: State | Start) -> State:
        """A carry without its areas."""
        if not isinstance(rest, Start):
            return rest
        begun = self._begin(rest.inputs)
        here = tf.range(self.batch_size) < rest.members
        return begun._replace(pc=tf.where(here, begun.pc, self.blocks.halt))

    def whole_carry(self, start: State | Start) -> State:
        """The carry before the first step, or the carry that it is already."""
        if not isinstance(start, Start):
            return start
        return joined(self.carry(start), self.unused_areas())

    def unused_areas(self) -> Areas:
        """The areas of a carry before the first step."""
        return self._areas(tf.zeros, memory.unset)

    def refill(self, state: State, fresh: tf.Tensor, inputs: Mapping[str, Any]) -> State:
        """Let new members into some lanes.

        Args:
          state: where the others are.
          fresh: bool[B], the lanes.
          inputs: as for `begin`; what stands in other lanes does not matter.
        """
        return self._refill(state, fresh, inputs)

    def advance(self, state: State, shared: Mapping[str, Any], stop: Stop) -> State:
        """Run until no member can move, or `stop` says so; `state` stays as it is."""
        held = Held(self, state)
        held.advance(shared, stop)
        return held.state

    def advance_in_place(
        self, rest: State | Start, areas: Areas, shared: Mapping[str, Any], stop: Stop
    ) -> State:
        """The same for a carry whose areas are variables, which are changed.

        Returns:
          The carry without its areas.
        """
        if isinstance(rest, Start):
            _, nothing = self._nobody
            entry = _Entry(_true(), rest.members, rest.inputs)
            return self._in_place(nothing, areas, shared, stop, entry)
        if not self.jit:
            return stored(self._stepper.run(joined(rest, areas), shared, stop), areas)
        begun: Any = self._nobody[0] if self._begins_in_loop else ()
        return self._in_place(rest, areas, shared, stop, begun)

    def run(
        self,
        states: list[State | Start],
        shared: Mapping[str, Any],
        max_steps: int | None,
        hooks: Sequence[driver.Hook] = (),
        max_stack_bytes: int | None = None,
    ) -> tuple[Finished, ...]:
        """Run until every member has ended or the step limit is reached.

        Args:
          states: where each shard begins: `start(inputs)`, or where another run ended; afterwards
            where it ended. In between the list is empty, so that nobody keeps what is overwritten.
          shared: the shared values by name.
          max_steps: at most so many turns of each loop, from the very beginning.
          hooks: what the host does between slices of the run.
          max_stack_bytes: how far the stacks of all shards may grow; None: see
            `growth.default_limit`.

        Returns:
          Where each shard ended.
        """
        hooks = (*self.helpers(shared, max_stack_bytes, len(states)), *hooks)
        end = driver.drive(self, states, shared, max_steps, hooks)
        return tuple(map(self.finished, end.states, end.reasons))

    def helpers(
        self, shared: Mapping[str, Any], max_stack_bytes: int | None = None, shards: int = 1
    ) -> tuple[driver.Hook, ...]:
        """The hooks that every run needs: they move on members that cannot move by themselves."""
        limit = default_limit() if max_stack_bytes is None else max_stack_bytes
        growth = (Growth(self.blocks, limit // shards),) if self.max_stack_depth is None else ()
        calls = (HostCalls(self.blocks, shared),) if self._prepared.calls_host else ()
        return (*growth, *calls)

    def run_in_graph(
        self, inputs: Mapping[str, Any], shared: Mapping[str, Any], max_steps: int | None
    ) -> Finished:
        """Run within a graph that somebody else runs, where no host can help."""
        steps = tf.constant(NEVER if max_steps is None else max_steps, tf.int64)
        return self.finished(self._whole(inputs, shared, steps), None)

    def work(self, state: State | Start) -> int:
        """What an eager state has cost so far, see `conditions.work`."""
        return 0 if isinstance(state, Start) else int(state.executions.numpy() @ self._costs)

    def all_have_ended(self, state: State) -> bool:
        """Whether nobody is left in an eager state who could ever move."""
        return not (state.pc.numpy() != self.blocks.halt).any()

    # --- Results ---------------------------------------------------------------------------

    def finished(self, state: State, reason: driver.Reason | None) -> Finished:
        """What a state says about the run that has come to it."""
        registers = dict(zip(self.layout.registers, state.registers, strict=True))
        by_member = self._by_member(*state.buffers) if state.buffers else ()
        ended = reason is not None and self.all_have_ended(state)
        overflow = self._none if ended else conditions.overflowing(self.blocks, state)
        return Finished(
            outputs=tuple(registers[name] for name in self.program.outputs),
            buffers=dict(zip(self.layout.buffers, by_member, strict=True)),
            pc=state.pc,
            fault=state.fault,
            overflow=overflow,
            state=state,
            reason=reason,
            returned=ended and not state.fault.numpy().any(),
        )

    @functools.cached_property
    def _none(self) -> tf.Tensor:
        """bool[B]: nobody."""
        with tf.init_scope():
            return tf.zeros([self.batch_size], tf.bool)

    def counts(self, state: State) -> tuple[BlockCount, ...]:
        """The counts per block of an eager state."""
        executions, active = state.executions.numpy().tolist(), state.active.numpy().tolist()
        return tuple(
            BlockCount(label, line, ran, moved, lanes)
            for (label, line, lanes), ran, moved in zip(
                self._counted, executions, active, strict=True
            )
        )

    @functools.cached_property
    def _counted(self) -> list[tuple[str, int, int]]:
        """The label of each block, its first line and the lanes of an execution."""
        codes = zip(self.blocks.codes, self._lanes, strict=True)
        return [(code.block.label, first_line(code.block), lanes) for code, lanes in codes]


@functools.lru_cache(maxsize=256)
def _number(value: int) -> tf.Tensor:
    """int32[]: a number, eager; equal ones are made once."""
    with tf.init_scope():
        return tf.constant(value, tf.int32)


@functools.cache
def _true() -> tf.Tensor:
    with tf.init_scope():
        return tf.constant(True)
