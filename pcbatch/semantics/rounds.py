"""Whether an expression that goes over elements can do so while the program is traced."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf

from pcbatch.semantics.scoped import Scoped

FEW = 64
"""So many rounds are always traced one by one."""
MOST_OPERATIONS = 512
"""More rounds only as long as they have made no more operations than this."""

MOST_READS = 256
"""So many attributes of objects of the member does an expression read at most: a loop that goes on
until one is None, which is known of members only, would never end."""


_TRYING: contextvars.ContextVar[bool] = contextvars.ContextVar("trying", default=False)
_READS: contextvars.ContextVar[Iterator[int] | None] = contextvars.ContextVar("reads", default=None)


class NeedsRounds(Exception):
    """An expression needs a loop of the program: its rounds depend on data, or are too many."""


class UnknownLength(NeedsRounds, ValueError):
    """A number of rounds depends on data.

    Attributes:
      called: the function that was to be given so many arguments, if one was.
    """

    called: Any = None


@contextlib.contextmanager
def given_to(function: Any) -> Iterator[None]:
    """Have an error, inside, that there is no saying how many arguments there are, tell of what."""
    try:
        yield
    except UnknownLength as error:
        error.called = function
        raise


class OnlyInProgram(TypeError):
    """Plain Python does with an object of a member what only the program can."""


def trial() -> Scoped[bool]:
    """Only find out, inside, whether a loop is needed."""
    return Scoped(_TRYING, True)


def trying() -> bool:
    """Whether it is only being found out."""
    return _TRYING.get()


def counting_reads() -> Scoped[Iterator[int] | None]:
    """Count, inside, the attributes that an expression reads."""
    return Scoped(_READS, itertools.count())


def note_read() -> None:
    """Take note that an attribute of an object of the member is read.

    Raises:
      NeedsRounds: so many are only read by a loop.
    """
    reads = _READS.get()
    if reads is not None and next(reads) > MOST_READS:
        raise NeedsRounds(f"more than {MOST_READS} attributes are read")


def limited(items: Iterable[Any]) -> Iterable[Any]:
    """The elements; in a trial, no more than can be traced one by one."""
    return _limited(items) if trying() else items


def _limited(items: Iterable[Any]) -> Iterator[Any]:
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    for k, item in enumerate(items):
        if k >= FEW and len(graph.get_operations()) - before > MOST_OPERATIONS:
            raise NeedsRounds(f"more than {k} rounds")
        yield item


def unknown_range(*bounds: Any) -> Any:
    """Refuse a `range` inside an expression whose bounds are a member's."""
    raise UnknownLength("a bound of a member's object cannot be interpreted as an integer")
