"""Which results of a primitive lie in its arguments' memory, and which of these it changes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.sharing import Notes, is_array, static_array

Leaf = tuple[int, int]
"""A leaf of an argument, or of a result: the number of either, and of the leaf."""


@dataclasses.dataclass(frozen=True)
class Sharers:
    """What NumPy's arrays have to do with each other in one primitive.

    Attributes:
      sources: of each array among the results' leaves, the arguments' leaves that it may lie in.
      together: the leaves of results that may lie in the same memory.
      kinds: of each array among the results' leaves None if it is a tensor in plain Python, too;
        else the arguments' leaves of which one has to be a tensor, for it to be one.
      changed: the leaves of arguments that are changed in place.
      seen: whether an array is changed of which another name is read afterwards.
    """

    sources: Mapping[Leaf, frozenset[Leaf]]
    together: frozenset[frozenset[Leaf]]
    kinds: Mapping[Leaf, frozenset[Leaf] | None]
    changed: frozenset[Leaf]
    seen: bool


NONE = Sharers({}, frozenset(), {}, frozenset(), False)


class _ArrayMemory:
    """Which array lies in which, in one trace."""

    def __init__(self, notes: Notes):
        self.within: dict[int, list[tuple[Any, int | None]]] = {}
        for result, array, row in notes.views:
            self.within.setdefault(id(result), []).append((array, row))

    def rows(self, array: Any) -> dict[int, set[int | None]]:
        """What an array lies in, itself among them: by identity, which rows of it it may be."""
        found: dict[int, set[int | None]] = {}
        waiting: list[tuple[Any, int | None]] = [(array, None)]
        while waiting:
            one, row = waiting.pop()
            if row not in found.setdefault(id(one), set()):
                found[id(one)].add(row)
                waiting += self.within.get(id(one), ())
        return found

    def meet(self, a: Any, b: Any) -> bool:
        """Whether two arrays may have elements in common."""
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return bool(np.may_share_memory(a, b))
        first, second = self.rows(a), self.rows(b)
        return any(_overlap(first[one], second[one]) for one in first.keys() & second.keys())


def _overlap(a: set[int | None], b: set[int | None]) -> bool:
    return None in a or None in b or bool(a & b)


def sharers(
    notes: Notes,
    given: Sequence[tuple[Any, Leaf]],
    results: Sequence[Sequence[Any]],
    operations: Sequence[tf.Operation],
    before: int,
) -> Sharers:
    """Read what was noted while a primitive was tried.

    Args:
      notes: the notes.
      given: the arrays among the arguments, each with the leaf that it stands for.
      results: the leaves of each result.
      operations: what the trial has made.
      before: how many operations the graph had before.
    """
    found = list(_arrays(results))
    if not found and not notes.changes:
        return NONE
    memory = _ArrayMemory(notes)
    sources = {
        leaf: frozenset(place for source, place in given if memory.meet(array, source))
        for leaf, array in found
    }
    together = frozenset(
        frozenset((one, other))
        for (one, a), (other, b) in itertools.combinations(found, 2)
        if memory.meet(a, b)
    )
    changed = frozenset(
        place
        for array, _, _ in notes.changes
        for source, place in given
        if memory.meet(array, source)
    )
    seen = any(
        _is_seen(memory, change, [array for _, array in found], operations, before)
        for change in notes.changes
    )
    places = {id(array): leaf for array, leaf in given}
    kinds = {leaf: _kind(notes, memory, places, array) for leaf, array in found}
    return Sharers(sources, together, kinds, changed, seen)


def _kind(
    notes: Notes, memory: _ArrayMemory, places: Mapping[int, Leaf], array: Any
) -> frozenset[Leaf] | None:
    """See `Sharers.kinds`."""
    if id(array) in places:
        return frozenset([places[id(array)]])
    if isinstance(array, np.ndarray) or id(array) in notes.numpys:
        return frozenset()
    if id(array) in memory.within:
        operands = [source for source, _ in memory.within[id(array)]]
    elif id(array) in notes.computed:
        operands = [x for x in notes.computed[id(array)][1] if is_array(x)]
    else:
        return None
    kinds = [_kind(notes, memory, places, x) for x in operands]
    return None if None in kinds else frozenset[Leaf]().union(*filter(None, kinds))


def _arrays(results: Sequence[Sequence[Any]]) -> Iterator[tuple[Leaf, Any]]:
    for i, leaves in enumerate(results):
        for j, leaf in enumerate(leaves):
            array = leaf if isinstance(leaf, tf.Tensor) else static_array(leaf)
            if array is not None and is_array(array):
                yield (i, j), array


def _is_seen(
    memory: _ArrayMemory,
    change: tuple[Any, Any, int],
    results: Sequence[Any],
    operations: Sequence[tf.Operation],
    before: int,
) -> bool:
    """Whether what an array was before a change is read after it, by an operation or a result."""
    array, new, number = change
    reads = [t for op in operations[max(number - before, 0) :] for t in op.inputs]
    return any(
        id(new) not in memory.rows(value) and memory.meet(value, array)
        for value in (*reads, *results)
    )
