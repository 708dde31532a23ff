"""Loops within a turn, and parts of a turn, that carry only what their blocks change.

XLA updates what a loop carries in place, and copies what it has to keep. Where that pays, the whole
loop is one kernel (see `backend.outlining`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.outlining import Kernels
from pcbatch.backend.private import xla_operations
from pcbatch.vm.area_segments import AddingSegment
from pcbatch.vm.block_info import BlockInfo, OpTrace
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.groups import too_long


def fits_kernel(
    context: Context, codes: Sequence[BlockInfo], lanes: int, whole: bool = True
) -> bool:
    """Whether some blocks are fast as one kernel of XLA.

    Args:
      context: the program.
      codes: the blocks.
      lanes: on how many members they run.
      whole: with their own operations, which must not depend on what is around them; False: only
        what moves their data.
    """
    tuning = context.tuning
    if sum(code.cost if whole else code.traffic for code in codes) * lanes > tuning.kernel_cost:
        return False
    if not whole:
        return sum(len(code.reads) + len(code.writes) for code in codes) <= tuning.kernel_registers
    # XLA's own loops are faster for much arithmetic.
    little = sum(code.profile.flops for code in codes) * lanes <= tuning.kernel_arithmetic
    alike = all(code.same_in_any_kernel for code in codes)
    return little and alike and not too_long(codes, tuning)


def kernels_for(
    context: Context, codes: Sequence[BlockInfo], lanes: int, whole: bool = True
) -> Kernels | None:
    """Where some blocks are a kernel; None if they are not one. Arguments as of `fits_kernel`."""
    return context.kernels if fits_kernel(context, codes, lanes, whole) else None


def part(
    context: Context,
    codes: tuple[BlockInfo, ...],
    lanes: int,
    what: str,
    run: Callable[..., State],
    state: State,
    *given: Any,
    fits: bool = False,
) -> State:
    """A part of a turn, as one kernel where that pays; it carries only what its blocks change.

    Args:
      context: the program.
      codes: the blocks that the part runs.
      lanes: on how many members at a time.
      what: says, with these, all that `run` depends on.
      run: takes the state and what is given, and gives the next state.
      state: the carry.
      *given: structures of other tensors that it needs.
      fits: it is known to be fast as one kernel.
    """
    changed = Changed(context, codes)

    def on_parts(parts: Any, others: State, *given: Any) -> Any:
        return changed.take(run(changed.put(others, parts), *given))

    args = changed.take(state), changed.without(needed(context, codes, state)), *given
    kernels = context.kernels if fits else kernels_for(context, codes, lanes)
    if kernels is None:
        return changed.put(state, on_parts(*args))
    key = (what, lanes, *(code.index for code in codes))
    return changed.put(state, kernels.call(key, on_parts, *args))


def loop(
    context: Context,
    codes: tuple[BlockInfo, ...],
    lanes: int,
    condition: Callable[..., tf.Tensor],
    body: Callable[..., State],
    state: State,
    *given: Any,
) -> State:
    """A `part` that is a loop; XLA updates what it carries in place.

    Args:
      context: the program.
      codes: the blocks that the loop runs.
      lanes: on how many members.
      condition: takes the turns so far, the state and what is given.
      body: takes the same, and gives the next state.
      state: the carry.
      *given: structures of other tensors that condition and body need.
    """
    changed = Changed(context, codes)

    def run(others: State, *given: Any) -> State:
        def state(parts: Any) -> State:
            return changed.put(others, parts)

        _, parts = xla_operations.while_loop(
            lambda turns, parts: condition(turns, state(parts), *given),
            lambda turns, parts: (turns + 1, changed.take(body(turns, state(parts), *given))),
            (tf.constant(0), changed.take(others)),
        )
        return state(parts)

    return part(context, codes, lanes, "loop", run, state, *given)


def needed(context: Context, codes: Sequence[BlockInfo], state: State) -> State:
    """What some blocks may need of a state, and nothing in the place of the rest."""
    registers = {context.position[n] for c in codes for n in c.reads if n in context.position}
    frames = {f for c in codes for f in (*c.pops, *c.pushes)}
    everything = any(c.touches_buffers for c in codes)

    def only(values: Sequence[Any], which: set[int]) -> tuple[Any, ...]:
        return tuple(value if i in which else () for i, value in enumerate(values))

    return state._replace(
        fault=(),
        registers=only(state.registers, registers),
        pointers=only(state.pointers, frames),
        spills=only(state.spills, frames),
        buffers=state.buffers if everything else only(state.buffers, set()),
        totals=state.totals if everything else only(state.totals, set()),
    )


def left_by(context: Context, code: BlockInfo) -> set[str | None]:
    """The variables of a block that is read after its own operations."""
    pushed = {f.variable for i in code.pushes for f in context.layout.frames[i].fields}
    checked = {check.condition for check in code.checks}
    match code.block.terminator:
        case ir.Branch(condition=name) | ir.Return(address=name):
            return {*code.writes, *pushed, *checked, name}
        case _:
            return {*code.writes, *pushed, *checked}


class Changed:
    """The parts of the state that some blocks change.

    Args:
      context: the program.
      codes: the blocks.
      last: the last pieces of their bodies, where only what they change by these and afterwards is
        wanted; None: all that they change.
    """

    def __init__(
        self, context: Context, codes: tuple[BlockInfo, ...], last: Sequence[OpTrace] | None = None
    ):
        self.fails = any(code.fails for code in codes)
        written: set[int] = set()
        stored, added = set[str](), set[str]()
        leaving = last is not None
        pointers = {f for c in codes for f in (c.pushes if leaving else (*c.pops, *c.pushes))}
        for code in codes:
            written |= {context.position[name] for name in code.writes}
            terminator = code.block.terminator
            if isinstance(terminator, ir.PushJump) and terminator.address in context.position:
                written.add(context.position[terminator.address])
            pieces = code.body if last is None else last
            stored |= {piece.buffer for piece in pieces if isinstance(piece, ir.Store)}
            changed = [n for x in pieces if isinstance(x, AddingSegment) for n in x.totals]
            stored.update(changed)
            added.update(changed)
        self.items: tuple[tuple[str, tuple[int, ...]], ...] = (
            ("registers", tuple(sorted(written))),
            ("pointers", tuple(sorted(pointers))),
            ("spills", tuple(sorted({f for c in codes for f in c.pushes}))),
            (
                "buffers",
                tuple(i for i, name in enumerate(context.layout.buffers) if name in stored),
            ),
            (
                "totals",
                tuple(i for i, name in enumerate(context.layout.totals) if name in added),
            ),
        )

    def take(self, state: State) -> Any:
        always = (state.pc, state.executions, state.active)
        faults = (state.fault,) if self.fails else ()
        return (*always, *faults), tuple(
            tuple(getattr(state, field)[i] for i in which) for field, which in self.items
        )

    def without(self, state: State) -> State:
        """The state with nothing in their places."""
        always, chosen = self.take(state)
        nothing = ((),) * len(always), tuple(((),) * len(values) for values in chosen)
        return self.put(state, nothing)

    def put(self, state: State, parts: Any) -> State:
        (pc, executions, active, *faults), chosen = parts
        (fault,) = faults or (state.fault,)
        fields = {}
        for (field, which), values in zip(self.items, chosen, strict=True):
            everything = list(getattr(state, field))
            for i, value in zip(which, values, strict=True):
                everything[i] = value
            fields[field] = tuple(everything)
        return state._replace(pc=pc, fault=fault, executions=executions, active=active, **fields)
