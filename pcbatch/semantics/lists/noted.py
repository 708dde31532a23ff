"""What is noted, while a primitive is tried, of the lists that it copies where Python does not."""

from __future__ import annotations

import contextvars
import dataclasses
from typing import Any


@dataclasses.dataclass
class Noted:
    """What is noted of the lists of one primitive.

    Attributes:
      twice: those that have one array twice.
      rows: the lists that are copied, as rows of those that are made.
      shared: the lists of lists whose rows are copied, to those that are made.
    """

    twice: list[Any] = dataclasses.field(default_factory=list)
    rows: list[Any] = dataclasses.field(default_factory=list)
    shared: list[Any] = dataclasses.field(default_factory=list)


NOTED: contextvars.ContextVar[Noted | None] = contextvars.ContextVar("noted", default=None)


def note_shared(rows: Any) -> None:
    """Note a list of lists of which another one has the rows, in Python."""
    if (noted := NOTED.get()) is not None:
        noted.shared.append(rows)
