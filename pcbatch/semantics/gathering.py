"""Structures that were copied out of sequences, or are one of several, while it is noted."""

from __future__ import annotations

import contextvars
from typing import Any

from pcbatch.semantics import pytree

GATHERED: contextvars.ContextVar[list[tuple[Any, Any]] | None] = contextvars.ContextVar(
    "gathered", default=None
)
"""What was copied, each with the sequence, while it is noted."""


def gathered(element: Any, source: Any) -> Any:
    """Note that an element is a copy of what is in a sequence, of whichever; returns it."""
    noted = GATHERED.get()
    if noted is not None and pytree.parts(element) is not None:
        noted.append((element, source))
    return element
