"""Sets and dicts that are objects on the heap: reading one reads what it has at that moment."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.references import is_there, reference_class

Members = Callable[[Any], Held | dict[str, Any]]
"""Gives the set, or the dict, that an object is."""


def make_readable(kind: type, stands_for: type, members: Members, names: Iterable[str]) -> None:
    """Give a class the methods of sets, or of dicts, that change nothing.

    Args:
      kind: the class.
      stands_for: what Python has in its place.
      members: what an object of it is.
      names: of the methods.
    """

    def known(own: Any) -> Held | dict[str, Any]:
        require(is_there(own), "TypeError: None is where a set or a dict is asked for")
        return members(own)

    def derived() -> type:
        own = types.new_class(kind.__name__, (kind,), {}, lambda body: body.update(vars_of))
        make_readable(own, stands_for, members, names)
        return own

    vars_of = {"__module__": kind.__module__}
    kind.derived = staticmethod(derived)  # type: ignore[attr-defined]
    for name in names:
        setattr(kind, name, _reading(known, name))
    kind.__hash__ = None  # type: ignore[assignment]
    kind.__name__ = kind.__qualname__ = stands_for.__name__
    for stands in (kind, reference_class(kind)):
        Meanings.stand_ins[stands] = (stands_for, known)
    Meanings.contents[reference_class(kind)] = known


def _reading(members: Members, name: str) -> Callable[..., Any]:
    def read(own: Any, *args: Any) -> Any:
        return getattr(members(own), name)(*args)

    read.__name__ = name
    return read
