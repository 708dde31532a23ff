"""Exceptions that a member's `try` catches: each is a branch to the handler.

What is raised inside a call is caught there, too: a callee that is called in a `try` is another
specialization, which gives back which exception it was.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.semantics.limits import says_limit


@dataclasses.dataclass(frozen=True)
class Raised:
    """An exception that some members may have.

    Attributes:
      message: its class and text.
      span: where it is raised.
      kind: its class, where the message does not tell.
      given: what it is made with, where that is known.
    """

    message: str
    span: Span
    kind: type[BaseException] | None = None
    given: tuple[Any, ...] | None = None

    @property
    def cls(self) -> type[BaseException] | None:
        """Its class; None for a status that Python knows nothing of."""
        name = self.message.partition(":")[0]
        known = self.kind or getattr(builtins, name, None) or getattr(np.linalg, name, None)
        if says_limit(self.message):
            return None
        return known if isinstance(known, type) and issubclass(known, BaseException) else Exception

    def is_caught(self, classes: Iterable[type[BaseException]]) -> bool:
        """Whether one of some classes has it."""
        own = self.cls
        return own is not None and any(issubclass(own, kind) for kind in classes)


def around(handlers: Iterable[ir.Handler], outer: Iterable[type]) -> tuple[type, ...]:
    """The classes that are caught somewhere around a place, each once."""
    return tuple(dict.fromkeys([*(kind for h in handlers for kind in h.catches), *outer]))


def live_in_handlers(block: ir.Block, live: dict[str, set[str]]) -> set[str]:
    """The variables that the handlers of a block may read as they are in it."""
    found = (live.get(h.label, set()) - {h.variable} for h in block.handlers)
    return set[str]().union(*found)
