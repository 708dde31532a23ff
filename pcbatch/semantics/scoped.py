"""Values of context variables that hold inside of a `with` statement."""

from __future__ import annotations

import contextvars
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Scoped(Generic[T]):
    """A context in which a variable has a value; it gives the value.

    Args:
      variable: what has it.
      value: what it has inside; outside it has what it had before.
    """

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: contextvars.ContextVar[Any], value: T):
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token = self._variable.set(self._value)
        return self._value

    def __exit__(self, *exception: object) -> None:
        self._variable.reset(self._token)
