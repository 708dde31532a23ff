"""Whether two objects, dicts or lists are one, as `is` asks: told by where the program makes them.

An expression is tried on copies of what its variables have, so Python's own answer would be that of
the copies.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from pcbatch.semantics.gathering import GATHERED
from pcbatch.semantics.misuse import Unsupported

Decide = Callable[[Any, Any], bool | None]
"""Says whether two values are one object; None where that depends on the member."""

_DECIDE: contextvars.ContextVar[Decide | None] = contextvars.ContextVar("decide", default=None)


@contextlib.contextmanager
def known(decide: Decide) -> Iterator[None]:
    """Know, inside, which objects are one."""
    token = _DECIDE.set(decide)
    try:
        yield
    finally:
        _DECIDE.reset(token)


def may_be_copy(value: Any) -> bool:
    """Whether a value may be a copy of an object, a dict or a list of the program's."""
    is_object = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return is_object or isinstance(value, (list, dict))


def is_one(a: Any, b: Any) -> bool:
    """Whether two values are one object.

    Raises:
      Unsupported: that depends on the member.
    """
    decide = _DECIDE.get()
    if a is b or type(a) is not type(b) or decide is None:
        return a is b
    chosen = {id(x.element) for x in GATHERED.get() or ()}
    found = None if chosen & {id(a), id(b)} else decide(a, b)
    if found is None:
        raise Unsupported(
            f"whether these are one `{type(a).__name__}` depends on the member",
            "each value of an object is a variable of its own, and what is in a list that grows, "
            "or is chosen by a member's number, is a copy.",
            "compare what tells them apart: a.number == b.number",
        )
    return found
