"""The published machine: each turn chooses one block and runs it.

Only registers pass through the conditional; stacks and buffers are updated outside.

Source: Radul et al. 2020, algorithm 2.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch.vectorizer.segments import Batch
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.predicates import runnable
from pcbatch.vm.stacks import pack


@dataclasses.dataclass(frozen=True)
class Switch:
    """A turn that chooses one block and runs it.

    Attributes:
      codes: all blocks.
      lanes: B.
      most_active: take the block with the most members, not the smallest program counter.
    """

    codes: tuple[BlockInfo, ...]
    lanes: int
    most_active: bool

    def is_kernel(self, context: Context) -> bool:
        """See `sweep.plan.Part`."""
        del context
        return False

    def run(
        self, context: Context, state: State, before: tf.Tensor, shared: Mapping[str, Any]
    ) -> State:
        """Choose one block and run it, see `sweep.plan.Step`."""
        del before
        ready = runnable(context, state, context.codes)
        chosen = _choose(context, state, ready, self.most_active)
        mask = ready & tf.equal(state.pc, chosen)
        state = _run_chosen(context, state, chosen, mask, shared)
        for code in context.codes:
            if code.touches_buffers:
                lanes = Lanes(mask & tf.equal(chosen, code.index))
                state = context.run(code, state, lanes, shared)
        return state


def _choose(context: Context, state: State, ready: tf.Tensor, most_active: bool) -> tf.Tensor:
    if not most_active:
        return tf.reduce_min(tf.where(ready, state.pc, context.halt))
    standing = (
        tf.one_hot(state.pc, context.halt, dtype=tf.int32) * tf.cast(ready, tf.int32)[:, None]
    )
    return tf.argmax(tf.reduce_sum(standing, 0), output_type=tf.int32)


def _run_chosen(
    context: Context, state: State, chosen: tf.Tensor, mask: tf.Tensor, shared: Mapping[str, Any]
) -> State:
    """Pop outside, switch over what works on registers, push outside."""
    codes = [c for c in context.codes if not c.touches_buffers and not c.waits]
    popped: dict[int, Batch] = {code.index: {} for code in codes}
    for code in codes:
        if code.pops:
            here = Lanes(mask & tf.equal(chosen, code.index))
            state = context.stacks.pop(code, state, here, popped[code.index])
    branches = {c.index: _branch(context, c, state, mask, popped[c.index], shared) for c in codes}
    idle = _idle(context, state)
    table = [branches.get(i, idle) for i in range(context.halt)]
    small, rows = tf.switch_case(tf.minimum(chosen, context.halt - 1), table)
    state = state._replace(**small)
    for code in codes:
        if code.pushes:
            here = Lanes(mask & tf.equal(chosen, code.index))
            for f in code.pushes:
                state = context.stacks.push_rows(f, state, here, [[row] for row in rows[f]])
    return state


_SMALL = ("pc", "fault", "registers", "executions", "active")


def _small(state: State) -> dict[str, Any]:
    return {name: getattr(state, name) for name in _SMALL}


def _empty_rows(context: Context) -> list[list[tf.Tensor]]:
    size = context.batch_size
    return [[tf.zeros([size, f.width(d)], d) for d in f.dtypes] for f in context.layout.frames]


def _idle(context: Context, state: State) -> Callable[[], Any]:
    return lambda: (_small(state), _empty_rows(context))


def _branch(
    context: Context,
    code: BlockInfo,
    state: State,
    mask: tf.Tensor,
    env: Batch,
    shared: Mapping[str, Any],
) -> Callable[[], Any]:
    def run() -> Any:
        here = Lanes(mask & tf.equal(state.pc, code.index))
        local = {name: state.registers[context.position[name]] for name in code.reads}
        local.update(env)
        after = context.compute(code, state, here, local, shared)
        after = context.count((code,), (here,), context.leave(code, after, here, local))
        rows = _empty_rows(context)
        for f in code.pushes:
            rows[f] = [tf.concat(parts, 1) for parts in pack(context.layout.frames[f], local)]
        return _small(after), rows

    return run
