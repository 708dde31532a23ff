"""Where a run begins: from arguments to a carry.

A carry is made by a program of its own, or, where the loop is over in less time than a call takes,
within the loop's program: its first slice is given the arguments, and the later ones the carry. In
the place of what a slice is not given stand arguments and a carry of no member.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend import rows
from pcbatch.semantics import pytree
from pcbatch.vm.block_info import Prepared
from pcbatch.vm.carry import Start, State, initial, joined, split
from pcbatch.vm.traced_function import TracedFunction


class Entry(NamedTuple):
    """What a loop's program that begins a run is given.

    Attributes:
      fresh: bool[], whether the run begins; else it goes on from a carry.
      start: where it begins.
    """

    fresh: tf.Tensor
    start: Start


class Launch:
    """How the runs of a machine begin.

    Args:
      prepared: the program.
      batch_size: B.
      jit: compile with XLA.
      in_loop: whether the loop's program begins a run.
    """

    def __init__(self, prepared: Prepared, batch_size: int, jit: bool, in_loop: bool):
        self._prepared, self._batch_size, self.in_loop = prepared, batch_size, in_loop
        self._kernel = TracedFunction(self.initial, jit=jit)

    def initial(self, start: Start) -> State:
        """The carry before the first step, without its areas, in a graph."""
        return initial(self._prepared.program, self._prepared.layout, start, self._batch_size)

    def carry(self, rest: State | Start) -> State:
        """The carry without its areas of a run, eager, whether it has been made or not."""
        return self._kernel(rest) if isinstance(rest, Start) else rest

    def entered(self, entry: Entry, state: State) -> State:
        """The carry before the first step, if this is the first slice; else the carry."""
        rest, areas = split(state)
        new = functools.partial(tf.where, entry.fresh)
        return joined(tf.nest.map_structure(new, self.initial(entry.start), rest), areas)

    def given(self, rest: State | Start) -> tuple[State, Entry | tuple[()]]:
        """What the loop's program is given: a carry without its areas, and an entry, if it begins
        a run; a start only then."""
        if not self.in_loop:
            assert isinstance(rest, State)
            return rest, ()
        entry, no_member = self._no_member
        return (no_member, Entry(_true(), rest)) if isinstance(rest, Start) else (rest, entry)

    def expected(self, inputs: Mapping[str, Any]) -> tuple[State, Entry | tuple[()]]:
        """The same for arguments of which only the types matter."""
        if self.in_loop:
            entry, no_member = self._no_member
            return no_member, entry
        trace = self._kernel.trace(Start(inputs, number(self._batch_size)))
        return pytree.unflatten(trace.tree, trace.results), ()

    @functools.cached_property
    def _no_member(self) -> tuple[Entry, State]:
        """What stands for an entry where the run has begun, and for a carry where it has not."""
        types = self._prepared.program.types
        with tf.init_scope():
            inputs = {
                name: tf.zeros([self._batch_size, *types[name].shape], types[name].dtype)
                for name in self._prepared.program.inputs
            }
            start = Start(inputs, tf.constant(0))
            return Entry(tf.constant(False), start), self.initial(start)


def members_of_parts(batch_size: int, most: int) -> list[int]:
    """How many members each part of a batch has: as many as it may, and the last what is left."""
    return [min(batch_size - first, most) for first in range(0, batch_size, most)]


def parts(
    inputs: Mapping[str, tf.Tensor], members: Sequence[int], lanes: int
) -> list[Start | State]:
    """Where the parts of a batch begin, one loop each; lanes left over are empty.

    Args:
      inputs: by variable, `[B, ...]` each.
      members: how many each part has.
      lanes: of each part.
    """
    cut = {name: rows.parts(x, members) for name, x in inputs.items()}
    return [
        Start({name: rows.padded(x[i], lanes) for name, x in cut.items()}, number(here))
        for i, here in enumerate(members)
    ]


@functools.lru_cache(maxsize=256)
def number(value: int) -> tf.Tensor:
    """int32[]: a number, eager; equal ones are made once."""
    with tf.init_scope():
        return tf.constant(value, tf.int32)


@functools.cache
def _true() -> tf.Tensor:
    with tf.init_scope():
        return tf.constant(True)
