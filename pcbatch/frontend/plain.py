"""The elements of an unrolled loop that are plain Python data.

Each round reads one element. Inference takes a container apart whenever it is read, so that `n`
rounds would look at `n` elements `n` times; but where there are no tensors among them it need not:
the container is one object, of which a round takes its element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pcbatch.semantics.data import ATOMS

_CONTAINERS = (tuple, list)
FEW = 64
"""So many elements are taken apart in each round, if they are lists."""


class PlainSequence:
    """A sequence of plain data that is not taken apart.

    Args:
      items: the elements.
    """

    __slots__ = ("_items", "_text")

    def __init__(self, items: tuple[Any, ...]):
        self._items, self._text = items, repr(items)

    @property
    def items_of_plain(self) -> tuple[Any, ...]:
        """The elements."""
        return self._items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, k: int) -> Any:
        return self._items[k]

    def __repr__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        # Of plain data the text says all, and tells 1 from 1.0 and 0.0 from -0.0.
        return isinstance(other, PlainSequence) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


class ElementsOfArray(PlainSequence):
    """The elements of a known vector of NumPy's, which a loop reads where they are.

    Args:
      array: the vector.
    """

    __slots__ = ("gone_over",)

    def __init__(self, array: np.ndarray):
        super().__init__(tuple(array))
        self.gone_over = array


def plain(items: tuple[Any, ...]) -> tuple[Any, ...] | PlainSequence:
    """The elements as one object if they are plain data, else as they are.

    A few lists stay what they are, as the loop may write to them.
    """
    if len(items) <= FEW and any(type(item) is list for item in items):
        return items
    return PlainSequence(items) if all(map(_is_plain, items)) else items


def _is_plain(value: Any) -> bool:
    if type(value) in _CONTAINERS:
        return all(map(_is_plain, value))
    return type(value) in ATOMS
