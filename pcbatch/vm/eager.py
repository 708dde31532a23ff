"""The machine without XLA: block by block on TensorFlow's eager runtime, for debugging."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.vm import predicates
from pcbatch.vm.carry import State, Stop
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.sweep.plan import Plan
from pcbatch.vm.sweep.subloops import Changed, needed
from pcbatch.vm.switch import Switch
from pcbatch.vm.traced_function import TracedFunction

Step = Callable[[State, tf.Tensor, Mapping[str, Any]], State]
"""What runs a block: takes the state, the members that move, and the shared values."""


class EagerRun:
    """Runs, in each step, only the blocks that have members to move.

    Args:
      context: the program.
      plan: says which block is chosen, or in which order they run.
    """

    def __init__(self, context: Context, plan: Plan):
        self._context, self._plan = context, plan
        self._turn = [*dict.fromkeys(code.index for s in plan.stages for code in s.codes)]
        self._kernels: dict[int, Step] = {}

    def run(self, state: State, shared: Mapping[str, Any], stop: Stop) -> State:
        """Run until no member can move, or `stop` says so."""
        context = self._context
        state = tf.nest.map_structure(tf.convert_to_tensor, state)
        while bool(predicates.may_go_on(context, state, stop)):
            ready = predicates.runnable(context, state, context.codes).numpy()
            pcs = np.where(ready, state.pc.numpy(), context.halt)
            if np.all(pcs == context.halt):
                break
            for index in self._choice(pcs):
                mask = context.mask(context.codes[index], state)
                if np.any(mask):
                    state = self._kernel(index)(state, mask, shared)
            state = state._replace(steps=state.steps + 1)
        return state

    def _choice(self, pcs: np.ndarray) -> list[int]:
        match self._plan.alone:
            case Switch(most_active=False):
                return [int(pcs.min())]
            case Switch():
                return [int(np.bincount(pcs[pcs < self._context.halt]).argmax())]
            case _:
                return self._turn

    def _kernel(self, index: int) -> Step:
        if index not in self._kernels:
            self._kernels[index] = self._compiled(index)
        return self._kernels[index]

    def _compiled(self, index: int) -> Step:
        """The block as a TensorFlow graph function, not compiled by XLA.

        It takes and gives what the block needs and changes: to trace it with the whole carry would
        take longer than to trace the block.
        """
        context, code = self._context, self._context.codes[index]
        changed = Changed(context, (code,))

        def step(parts: Any, others: State, mask: tf.Tensor, shared: Mapping[str, Any]) -> Any:
            return changed.take(context.run(code, changed.put(others, parts), Lanes(mask), shared))

        kernel = TracedFunction(step, jit=False)

        def run(state: State, mask: tf.Tensor, shared: Mapping[str, Any]) -> State:
            others = changed.without(needed(context, (code,), state))
            return changed.put(state, kernel(changed.take(state), others, mask, shared))

        return run
