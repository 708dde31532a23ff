"""Where buffers are: every expression that makes one has rooms for it in the members' storage.

An expression that runs again (in a loop) needs as many rooms as buffers of its making can still be
in use, and one more. Which room a variable's buffer is in is part of its abstract value; where two
paths disagree, the rooms lie in one array, and each member remembers the number of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import tensorflow as tf

from pcbatch.infer.domain import WHICH, BufferRef, is_empty
from pcbatch.ir import BufferType, TensorType
from pcbatch.semantics.buffers import Buffer, Room


@dataclasses.dataclass(frozen=True, slots=True)
class BufferPlace:
    """Where a reference leads to.

    Attributes:
      area: the buffer of the typed program.
      rooms: how many buffers lie in it, one behind the other.
      room: which of them, if that is known; else None.
    """

    area: str
    rooms: int
    room: int | None


class Rooms:
    """The rooms of a program's buffers.

    Attributes:
      owners: the name of the specialization that makes the buffer in each room.
    """

    def __init__(self) -> None:
        self.owners: dict[str, str] = {}
        self._types: dict[str, BufferType] = {}
        self._sites: dict[object, list[str]] = {}
        self._together: list[tuple[str, ...]] = []
        self._areas: dict[str, tuple[str, int, int]] | None = None

    def make(
        self, key: object, name: str, owner: str, type_: BufferType, in_use: int
    ) -> tuple[str, ...]:
        """The rooms of the buffers that one expression makes.

        Args:
          key: of the expression.
          name: how to call the first of them.
          owner: the specialization that it is part of.
          type_: of the buffers.
          in_use: how many variables may hold buffers that it has made before.
        """
        rooms = self._sites.setdefault(key, [])
        while len(rooms) <= in_use:
            rooms.append(self._unique(f"{name}'{len(rooms)}" if rooms else name))
            self.owners[rooms[-1]] = owner
        self._types.update(dict.fromkeys(rooms, type_))
        return tuple(rooms)

    def known(self, key: object) -> tuple[str, ...]:
        """The rooms that an expression has so far."""
        return tuple(self._sites.get(key, ()))

    def _unique(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self._types or name in self.owners:
            name, number = f"{wanted}~{number}", number + 1
        return name

    def note(self, reference: BufferRef) -> BufferRef:
        """Take note of a reference, of which members may have to know the room; returns it."""
        self._together.append(reference.rooms)
        return reference

    def close(self, references: Iterable[BufferRef]) -> None:
        """Lay out the storage, when all references are known."""
        leader = {room: room for room in self._types}

        def find(room: str) -> str:
            while leader[room] != room:
                room = leader[room]
            return room

        sites = (tuple(rooms) for rooms in self._sites.values())
        for rooms in (*sites, *self._together, *(x.rooms for x in references)):
            for room in rooms[1:]:
                leader[find(room)] = find(rooms[0])
        together: dict[str, list[str]] = {}
        for room in self._types:
            together.setdefault(find(room), []).append(room)
        self._areas = {
            room: (rooms[0], len(rooms), number)
            for rooms in together.values()
            for number, room in enumerate(rooms)
        }

    def place(self, reference: BufferRef) -> BufferPlace | None:
        """Where a reference leads to; None before the storage is laid out."""
        if self._areas is None:
            return None
        area, rooms, room = self._areas[reference.rooms[0]]
        return BufferPlace(area, rooms, room if len(reference.rooms) == 1 else None)

    def at(self, reference: BufferRef) -> BufferPlace:
        """Where a reference leads to, when the storage is laid out."""
        place = self.place(reference)
        assert place is not None
        return place

    def among_others(self, reference: BufferRef) -> BufferPlace | None:
        """Where a reference leads to, if that is an array in which other buffers lie, too."""
        place = self.place(reference)
        return None if place is None or place.rooms == 1 else place

    def number(self, room: str) -> int:
        """The number of a room in its area."""
        assert self._areas is not None
        return self._areas[room][2]

    def areas(self) -> Mapping[str, BufferType]:
        """The buffers of the typed program."""
        assert self._areas is not None
        return {
            area: BufferType(rooms * type_.length, type_.element)
            for area, rooms, type_ in (
                (*self._areas[room][:2], self._types[room]) for room in self._areas
            )
            if not is_empty(type_.whole)
        }

    def inputs(self, reference: BufferRef, batched: bool = False) -> tuple[TensorType, ...]:
        """The types of what a primitive is given for a reference: the array, and which room.

        Args:
          reference: the reference.
          batched: the primitive takes the batch axis itself: it is given the buffer alone.
        """
        type_ = reference.type
        if batched:
            return (type_.whole,)
        if is_empty(type_.whole):
            return ()
        place = self.among_others(reference)
        if place is None:
            return (type_.whole,)
        area = BufferType(place.rooms * type_.length, type_.element).whole
        return (area,) if place.room is not None else (area, WHICH)

    def buffer(
        self, reference: BufferRef, given: tuple[tf.Tensor, ...], batched: bool = False
    ) -> Buffer:
        """The buffer that a reference means.

        Args:
          reference: the reference.
          given: the tensors of its `inputs`.
          batched: they have the batch axis.
        """
        place, whole = self.among_others(reference), reference.type.whole
        if not given:
            made = Buffer(tf.zeros(whole.shape, whole.dtype))
        elif place is None or batched:
            made = Buffer(given[0])
        else:
            made = Room(given[0], reference.type.length, given[1] if len(given) > 1 else place.room)
        made.rooms = frozenset(reference.rooms)
        return made
