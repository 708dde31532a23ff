"""The machine without XLA: block by block on TensorFlow's eager runtime, for debugging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.vm import predicates
from pcbatch.vm.carry import State, Stop
from pcbatch.vm.context import Context
from pcbatch.vm.lanes import Lanes
from pcbatch.vm.sweep.plan import Plan
from pcbatch.vm.switch import Switch
from pcbatch.vm.traced_function import TracedFunction


class EagerRun:
    """Runs, in each step, only the blocks that have members to move.

    Args:
      context: the program.
      plan: says which block is chosen, or in which order they run.
    """

    def __init__(self, context: Context, plan: Plan):
        self._context, self._plan = context, plan
        self._turn = [*dict.fromkeys(code.index for s in plan.stages for code in s.codes)]
        self._kernels: dict[int, TracedFunction] = {}

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

    def _kernel(self, index: int) -> TracedFunction:
        """The block as a TensorFlow graph function, not compiled by XLA."""
        if index not in self._kernels:
            code = self._context.codes[index]

            def step(state: State, mask: tf.Tensor, shared: Mapping[str, Any]) -> State:
                return self._context.run(code, state, Lanes(mask), shared)

            self._kernels[index] = TracedFunction(step, jit=False)
        return self._kernels[index]
