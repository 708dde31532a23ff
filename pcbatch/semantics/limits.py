"""Limits of pcbatch that a member may meet where Python has none, and what its status says then.

No handler of the program catches them: what it would do then, Python would not.
"""

from __future__ import annotations

_NOTE = " (a limit of pcbatch, not of Python)"

_BEGINNINGS = {
    "list": "MemoryError: a list has grown beyond the {} elements",
    "text": "MemoryError: a text has grown beyond the {} characters",
    "array": "MemoryError: an array has more than the {} elements along an axis",
}


def unknown(said: str) -> str:
    """What is said of a value of which pcbatch does not know what Python gives.

    Args:
      said: what it is, and what can be done.
    """
    return f"NotImplementedError: {said}{_NOTE}"


def full(kind: str, room: int) -> str:
    """What is said where a list, a text or an array has no room for more: the run begins again.

    Args:
      kind: "list", "text" or "array".
      room: how many elements, or characters, there is room for.
    """
    begins = _BEGINNINGS[kind].format(room)
    capacity = capacity_of_texts(room) if kind == "text" else room
    return f"{begins} that it has room for (list_capacity={2 * capacity} has more)"


def room_of_texts(capacity: int) -> int:
    """How many characters texts have room for where lists have room for so many elements."""
    return max(capacity // 2, 1)


def capacity_of_texts(room: int) -> int:
    """How many elements lists have room for where texts have room for so many characters."""
    return 2 * room


def says_full(message: str) -> bool:
    """Whether a status says that there was no room."""
    return message.startswith(tuple(begins.split("{")[0] for begins in _BEGINNINGS.values()))


def capacity_said(message: str) -> int:
    """The capacity of lists by which there was no room, where a status says so."""
    return int(message.rpartition("list_capacity=")[2].split()[0]) // 2


def says_limit(message: str) -> bool:
    """Whether a status tells of a limit of pcbatch."""
    return message.endswith(_NOTE) or says_full(message)
