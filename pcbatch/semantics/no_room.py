"""What a member's status says where a list, or a text, has no room for more.

The run then begins again with more room.
"""

from __future__ import annotations

_BEGINNINGS = {
    "list": "MemoryError: a list has grown beyond the {} elements",
    "text": "MemoryError: a text has grown beyond the {} characters",
}


def full(kind: str, room: int) -> str:
    """What is said where there is no room.

    Args:
      kind: "list" or "text".
      room: how many elements, or characters, there is room for.
    """
    begins = _BEGINNINGS[kind].format(room)
    capacity = {"list": room, "text": capacity_of_texts(room)}[kind]
    return f"{begins} that it has room for (list_capacity={2 * capacity} has more)"


def room_of_texts(capacity: int) -> int:
    """How many characters texts have room for where lists have room for so many elements."""
    return max(capacity // 2, 1)


def capacity_of_texts(room: int) -> int:
    """How many elements lists have room for where texts have room for so many characters."""
    return 2 * room


def says_full(message: str) -> bool:
    """Whether a status says so."""
    return message.startswith(tuple(begins.split("{")[0] for begins in _BEGINNINGS.values()))
