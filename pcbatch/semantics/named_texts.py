"""What inference knows of the texts of a program.

Most programs choose among the texts that they name: what is asked of such a text is a table. Which
texts there are is known when inference has gone through the program. Where more have been found
after the first table was made, inference begins again.

A program that makes new texts is *spelled*: there each text that depends on the member is its
characters.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator

from pcbatch.semantics.scoped import Scoped

MOST_TEXTS = 512
"""With more texts than this no tables are made."""


class CharactersNeeded(Exception):
    """A program is spelled, so that it has to be given the characters of its arguments."""


@dataclasses.dataclass
class Named:
    """The texts of a program.

    Attributes:
      given: whether arguments are texts, so that there may be any.
      texts: those that have been named until now.
      asked: how many there were when the first table was made.
      room: how many characters a text has room for, where texts are spelled; else 0.
      wanted: whether the program makes new texts, so that they have to be spelled.
    """

    given: bool
    texts: set[str] = dataclasses.field(default_factory=set)
    asked: int | None = None
    room: int = 0
    wanted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all tables are of all texts."""
        return self.asked in (None, len(self.texts))

    @property
    def is_unused(self) -> bool:
        """Whether nothing of what has been gone through has to do with texts."""
        return not (self.given or self.texts or self.wanted)


_NAMED: contextvars.ContextVar[Named | None] = contextvars.ContextVar("named", default=None)


@contextlib.contextmanager
def naming(named: Named) -> Iterator[None]:
    """Take note, inside, of the texts that are named."""
    named.asked = None
    with known(named):
        yield


def known(named: Named | None) -> Scoped[Named | None]:
    """Make tables, inside, of the texts of a program that has been gone through."""
    return Scoped(_NAMED, named)


def note(text: str) -> None:
    """Take note of a text, if a program is gone through."""
    named = _NAMED.get()
    if named is not None:
        named.texts.add(text)


def in_use() -> Named | None:
    """The texts of the program that is gone through."""
    return _NAMED.get()


def all_texts() -> list[str] | None:
    """All texts that there are, in order; None where this is not known."""
    named = _NAMED.get()
    if named is None or named.given or len(named.texts) > MOST_TEXTS:
        return None
    if named.asked is None:
        named.asked = len(named.texts)
    return sorted(named.texts)


def spelled_room() -> int:
    """How many characters a text has room for, where texts are spelled; else 0."""
    named = _NAMED.get()
    return 0 if named is None else named.room


def want_spelled() -> bool:
    """Whether texts are spelled; if not, note that they have to be."""
    named = _NAMED.get()
    if named is not None:
        named.wanted = True
    return bool(spelled_room())
