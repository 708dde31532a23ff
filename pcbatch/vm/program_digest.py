"""What a machine's loop computes, as a digest that is equal in every process."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.vm.block_info import Prepared


class _Unknown(Exception):
    """Something of which the digest cannot say what it is."""


def digest(prepared: Prepared, *more: Any) -> str | None:
    """The SHA-256 of a program and of what else its compiled form depends on.

    Primitives count by their graphs for one member, and not by the Python code that they come from.
    Of the places in the user's source it counts which are the same, as a fault is a message and a
    place.

    Args:
      prepared: the program.
      *more: made of numbers, texts, tuples and dataclasses.

    Returns:
      The digest; None where the compiled form depends on what has none: on tensors that a primitive
      holds, or on a function of the whole batch (`pcbatch.batched`).
    """
    graphs = tuple(profile.digest for code in prepared.codes for profile in code.profiles)
    if prepared.takes_batch or None in graphs:
        return None
    try:
        text = _Writer().text((prepared.program, graphs, more))
    except _Unknown:
        return None
    return hashlib.sha256(text.encode()).hexdigest()


class _Writer:
    """Writes values as text: equal ones as equal texts, others as others."""

    def __init__(self) -> None:
        self._spans: dict[Span, int] = {}

    def text(self, value: Any) -> str:
        match value:
            case Span():
                return f"span {self._spans.setdefault(value, len(self._spans))}"
            case None | bool() | int() | float() | str() | bytes():
                return repr(value)
            case tuple():
                return f"({', '.join(map(self.text, value))})"
            case frozenset():
                return f"{{{', '.join(sorted(map(self.text, value)))}}}"
            case type():
                return f"{value.__module__}.{value.__qualname__}"
        if dataclasses.is_dataclass(value):
            fields = (f"{x.name}={self._field(value, x.name)}" for x in dataclasses.fields(value))
            return f"{type(value).__name__}({', '.join(fields)})"
        if isinstance(value, Mapping):
            return self.text(tuple(value.items()))
        raise _Unknown

    def _field(self, value: Any, name: str) -> str:
        content = getattr(value, name)
        if name != "fn":
            return self.text(content)
        # The graphs say what functions compute; a move has none.
        return "move" if content is ir.move else "function"
