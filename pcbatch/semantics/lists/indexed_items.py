"""The elements of what loops go over, by an index of the member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from pcbatch.semantics.types import type_of


class Steps:
    """What the front end, which knows of loops, makes known here.

    Attributes:
      has_item: whether there is an element at an index.
      item: the element at an index that there is.
    """

    has_item: ClassVar[Callable[[Any, Any], Any]]
    item: ClassVar[Callable[[Any, Any], Any]]


def has_item(source: Any, index: Any) -> Any:
    """Whether there is an element at an index."""
    return Steps.has_item(source, index)


def item(source: Any, index: Any) -> Any:
    """The element at an index that there is."""
    return Steps.item(source, index)


def refuse_next(value: Any) -> NoReturn:
    """Say that something is no iterator.

    Raises:
      TypeError: always.
    """
    raise TypeError(f"'{type_of(value).__name__}' object is not an iterator")
