"""Carries without their empty lanes: a checkpoint has the members only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.vm.carry import State

Change = Callable[[np.ndarray, int], np.ndarray]
"""Changes the number of lanes of an array: its axis of lanes is given."""


def without_empty_lanes(state: State, members: int) -> State:
    """An eager carry with so many lanes, the first ones, as arrays.

    Args:
      state: the carry.
      members: how many lanes hold one.
    """
    if members == state.pc.shape[0]:
        return state
    lanes = np.arange(members)
    return _changed(state, members, lambda array, axis: np.take(array, lanes, axis))


def with_empty_lanes(state: State, lanes: int, halt: int) -> State:
    """An eager carry with so many lanes, the first ones as they were.

    Args:
      state: the carry.
      lanes: how many are wanted.
      halt: the program counter of a member that has ended.
    """
    empty = lanes - int(state.pc.shape[0])
    if not empty:
        return state

    def lengthened(array: np.ndarray, axis: int) -> np.ndarray:
        shape = [empty if i == axis else n for i, n in enumerate(array.shape)]
        return np.concatenate([array, np.zeros(shape, array.dtype)], axis)

    longer = _changed(state, lanes, lengthened)
    longer.pc[-empty:] = halt
    whole: State = tf.nest.map_structure(tf.constant, longer)
    return whole


def _changed(state: State, lanes: int, change: Change) -> State:
    """A carry with another number of lanes."""
    before = int(state.pc.shape[0])

    def elements(value: Any) -> np.ndarray:
        """`[B * length, ...]`; of registers the length is 1."""
        array = np.asarray(value)
        length, element = array.shape[0] // before, array.shape[1:]
        by_member = change(array.reshape(before, length, *element), 0)
        return by_member.reshape(lanes * length, *element)

    def rows(value: Any) -> np.ndarray:
        """`[depth * B, width]`."""
        array = np.asarray(value)
        depth, width = array.shape[0] // before, array.shape[1]
        by_member = change(array.reshape(depth, before, width), 1)
        return by_member.reshape(depth * lanes, width)

    return state._replace(
        pc=elements(state.pc),
        fault=elements(state.fault),
        registers=tuple(map(elements, state.registers)),
        pointers=tuple(map(elements, state.pointers)),
        spills=tuple(tuple(map(rows, frame)) for frame in state.spills),
        buffers=tuple(map(elements, state.buffers)),
    )
