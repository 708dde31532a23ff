"""Blocks under masks: each runs for the whole batch, and moves the members that stand at it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.vm.block_info import BlockInfo, repeated
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.groups import groups
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.predicates import runnable
from pcbatch.vm.sweep.subloops import fits_kernel, loop


@dataclasses.dataclass(frozen=True)
class Masked:
    """A part of a turn that runs blocks for the whole batch, under masks.

    Attributes:
      codes: the blocks, in order; a loop of one block may be there several times in a row.
      lanes: on how many members a block runs at once.
      rounds: how often they run in a turn at most; they run again while a member stands at one.
        None: once, without asking.
      outlined: the blocks that are loops of their own, see `sweep.outlined_blocks`.
    """

    codes: tuple[BlockInfo, ...]
    lanes: int
    rounds: int | None = None
    outlined: tuple[BlockInfo, ...] = ()

    def is_kernel(self, context: Context) -> bool:
        """See `plan.Part`."""
        return fits_kernel(context, self.codes, self.lanes)

    def run(
        self, context: Context, state: State, before: tf.Tensor, shared: Mapping[str, Any]
    ) -> State:
        """Run the blocks, see `Stage`."""
        del before
        if self.rounds is None:
            return run_masked(context, self.codes, state, shared, outlined=self.outlined)
        return self._run_rounds(context, self.rounds, state, shared)

    def _run_rounds(
        self, context: Context, rounds: int, state: State, shared: Mapping[str, Any]
    ) -> State:
        def some_wait(turns: tf.Tensor, state: State, _: Mapping[str, Any]) -> tf.Tensor:
            return (turns < rounds) & tf.reduce_any(runnable(context, state, self.codes))

        def sweep_once(_: tf.Tensor, state: State, shared: Mapping[str, Any]) -> State:
            return run_masked(context, self.codes, state, shared)

        return loop(context, self.codes, self.lanes, some_wait, sweep_once, state, shared)


def run_masked(
    context: Context,
    codes: Sequence[BlockInfo],
    state: State,
    shared: Mapping[str, Any],
    owners: Any = (),
    outlined: Sequence[BlockInfo] = (),
) -> State:
    """Run blocks in order, each for all members that stand at it.

    Args:
      context: the program.
      codes: the blocks.
      state: the carry, or that of a compacted group.
      shared: the shared values by name.
      owners: int32[lanes], the members of a compacted bucket; () for the whole batch.
      outlined: the blocks among them that are loops of their own.
    """
    several = groups(codes, context.tuning, outlined)
    if len(several) == 1:
        return _run_together(context, codes, state, shared, owners, outlined)
    for group in several:
        state = _run_group(context, group, state, shared, owners, outlined)
    return state


def _run_group(
    context: Context,
    codes: tuple[BlockInfo, ...],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    outlined: Sequence[BlockInfo],
) -> State:
    """Run blocks in a loop of one turn, or none where no member stands at one."""
    if codes[0] in outlined:
        return _run_together(context, codes, state, shared, owners, outlined)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(runnable(context, state, codes))

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return _run_together(context, codes, state, shared, owners, ())

    lanes = int(state.pc.shape[0])
    return loop(context, codes, lanes, once, move, state, shared, owners)


def _run_together(
    context: Context,
    codes: Sequence[BlockInfo],
    state: State,
    shared: Mapping[str, Any],
    owners: Any,
    outlined: Sequence[BlockInfo],
) -> State:
    """Run blocks in order, and count what each has moved."""
    moved = list[Lanes]()
    for code, times in repeated(codes):
        lanes = Lanes(context.mask(code, state), owners=owners)
        if code in outlined:
            state, each = _run_outlined(context, code, state, shared, owners), [lanes]
        else:
            state, each = context.move_often(code, state, lanes, shared, times)
        moved += each
    return context.count(codes, moved, state)


def _run_outlined(
    context: Context, code: BlockInfo, state: State, shared: Mapping[str, Any], owners: Any
) -> State:
    """Run a block in a loop of one turn, or none where no member stands at it."""

    def here(state: State, owners: Any) -> Lanes:
        return Lanes(context.mask(code, state), owners=owners)

    def once(turns: tf.Tensor, state: State, _: Any, owners: Any) -> tf.Tensor:
        return (turns < 1) & tf.reduce_any(here(state, owners).mask)

    def move(_: tf.Tensor, state: State, shared: Mapping[str, Any], owners: Any) -> State:
        return context.move(code, state, here(state, owners), shared)

    lanes = int(state.pc.shape[0])
    return loop(context, (code,), lanes, once, move, state, shared, owners)
