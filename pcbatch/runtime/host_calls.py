"""Host calls: the driver runs Python for the members that wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import ir
from pcbatch.runtime.hooks import Cancelled, Hook
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.carry import State
from pcbatch.vm.context import Context


class HostCalls(Hook):
    """Runs each host call for all the members that stand at it, when no other member can move."""

    helps_ended = False

    def __init__(self, context: Context, shared: Mapping[str, Any]):
        self._context, self._shared = context, shared
        self._codes = tuple(code for code in context.codes if code.waits)

    def rest(self, state: State) -> State | None:
        """Serve all that wait. Ctrl-C amid a call leaves its members waiting, and ends the run."""
        pc = np.asarray(state.pc)
        standing = [(code, np.flatnonzero(pc == code.index)) for code in self._codes]
        waiting = [(code, members) for code, members in standing if members.size]
        for code, members in waiting:
            try:
                state = self._serve(code, members, state)
            except KeyboardInterrupt:
                raise Cancelled(state) from None
        return state if waiting else None

    def _serve(self, code: BlockInfo, members: np.ndarray, state: State) -> State:
        wait = code.block.terminator
        assert isinstance(wait, ir.Await)
        call = wait.call
        arrays = [self._argument(name, members, state) for name in call.args]
        registers = list(state.registers)
        for target, result in zip(call.targets, call.fn(members, *arrays), strict=True):
            position = self._context.position.get(target)
            if position is not None:  # nothing reads the others
                registers[position] = _put(registers[position], members, result)
        following = np.full(members.size, self._context.index[wait.target], np.int32)
        here = np.zeros(len(self._context.codes), np.int64)
        here[code.index] = 1
        return state._replace(
            pc=_put(state.pc, members, following),
            registers=tuple(registers),
            executions=state.executions + here,
            active=state.active + here * members.size,
        )

    def _argument(self, name: str, members: np.ndarray, state: State) -> np.ndarray:
        context = self._context
        if name in context.program.shared:
            return np.asarray(self._shared[name])
        if name in context.program.buffers:
            type_ = context.program.buffers[name]
            area = np.asarray(state.buffers[tuple(context.layout.buffers).index(name)])
            return area.reshape(context.batch_size, type_.length, *type_.element.shape)[members]
        return np.asarray(state.registers[context.position[name]])[members]


def _put(register: tf.Tensor, members: np.ndarray, values: np.ndarray) -> tf.Tensor:
    array = np.array(register)
    array[members] = values
    return tf.constant(array)
