"""The first slice of a run; a short run is over after it.

The loop's program takes a list of tensors. From one run of a machine to the next only the arguments
differ. So the rest of the list is made once, and the areas of a run that is over serve another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend.resource_variable import Variable
from pcbatch.vm.carry import Areas, Start, State, Stop, joined
from pcbatch.vm.final_state import FinalState, Reason
from pcbatch.vm.launch import Entry
from pcbatch.vm.machine import Machine
from pcbatch.vm.resident_carry import in_variables
from pcbatch.vm.room import Rows
from pcbatch.vm.traced_function import as_leaf

MOST_KEPT = 2**22
"""Areas of more bytes go with the run that they belong to."""


class Room(NamedTuple):
    """The areas of a run.

    Attributes:
      areas: variables.
      handles: of all of them.
      zeroed: those that begin with zeros, and the zeros; those of stacks may begin with anything.
      rows: by frame, those that each member has.
      is_kept: whether they are so small that another run may have them.
    """

    areas: Areas
    handles: list[tf.Tensor]
    zeroed: list[tuple[Variable, tf.Tensor]]
    rows: Rows
    is_kept: bool


class Begun(NamedTuple):
    """A run after its first slice: the carry without its areas, and these."""

    rest: State
    room: Room

    @property
    def state(self) -> State:
        """The whole carry, to go on from."""
        return joined(self.rest, self.room.areas)


class FirstSlice:
    """Makes the first slices of the runs of a machine that begins them within its loop.

    Args:
      machine: what runs.
    """

    def __init__(self, machine: Machine):
        self._machine = machine
        self._spare: list[Room] = []
        self._programs: dict[Rows, _Program] = {}

    def run(self, start: Start, shared: Mapping[str, Any], stop: Stop) -> Begun:
        """Run until no member can move, or `stop` says so."""
        room = self._room()
        program = self._programs.get(room.rows)
        if program is not None:
            return Begun(program(start, room, shared, stop), room)
        rest = self._machine.advance_in_place(start, room.areas, shared, stop)
        given, entry = self._machine.launch.given(start)
        assert isinstance(entry, Entry)
        call = self._machine.prepared_call(given, room.areas, shared, stop, entry)
        if call is not None:
            self._programs[room.rows] = _Program(call, given, entry)
        return Begun(rest, room)

    def end(self, begun: Begun) -> FinalState:
        """Where a run is over, and with it the use of its areas; all members have ended."""
        state = joined(begun.rest, begun.room.areas._replace(spills=()))
        if begun.room.is_kept:
            self._spare.append(begun.room)
        return self._machine.finished(state, Reason.ENDED)

    def _room(self) -> Room:
        """Areas that no other run has, as they are before the first step."""
        while self._spare:
            try:
                room = self._spare.pop()
            except IndexError:  # Another thread has taken the last.
                break
            if room.rows == self._machine.rows:
                for variable, zeros in room.zeroed:
                    variable.assign(zeros)
                return room
        return self._new_room()

    def _new_room(self) -> Room:
        rows, values = self._machine.rows, self._machine.unused_areas()
        areas = in_variables(values)
        every = tf.nest.flatten(areas)
        is_kept = sum(map(_bytes, every)) <= MOST_KEPT
        begin = tf.nest.flatten([values.buffers, values.totals]) if is_kept else []
        zeroed = list(zip(every[len(every) - len(begin) :], begin, strict=True))
        return Room(areas, [x.handle for x in every], zeroed, rows, is_kept)


class _Program:
    """The loop's program for runs that begin in it.

    Args:
      call: takes what `tf.nest.flatten` makes of the arguments of the loop, with handles in the
        place of variables.
      rest: what stands for a carry where a run begins.
      entry: of such a run.
    """

    def __init__(self, call: Callable[[list[Any]], State], rest: State, entry: Entry):
        self._call, self._rest, self._fresh = call, tf.nest.flatten(rest), entry.fresh
        self._inputs = sorted(entry.start.inputs)

    def __call__(self, start: Start, room: Room, shared: Mapping[str, Any], stop: Stop) -> State:
        return self._call(
            [
                *self._rest,
                *room.handles,
                *(as_leaf(shared[name]) for name in sorted(shared)),
                stop.steps,
                stop.work,
                self._fresh,
                *(start.inputs[name] for name in self._inputs),
                start.members,
            ]
        )


def _bytes(variable: Variable) -> int:
    size: int = tf.TensorShape(variable.shape).num_elements() * variable.dtype.size
    return size
