"""An iterator that a variable has, `it = iter(xs)`: a class in plain Python, see `prelude`."""

from __future__ import annotations

import inspect
import types
from typing import Any, NoReturn

from pcbatch.semantics.lists import indexed_items
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.references import is_reference, reference_kind
from pcbatch.semantics.rounds import OnlyInProgram


class Iterator:
    """What is left of something that is gone over.

    Attributes:
      source: what is gone over, as a loop has it.
      place: the index of the next element.
      is_over: whether there has been no next one: Python's iterators never go on then.
    """

    def __init__(self, source: Any):
        self.source = source
        self.place = 0
        self.is_over = False

    def has_next(self) -> Any:
        """Whether there is a next element."""
        if not self.is_over and not indexed_items.has_item(self.source, self.place):
            self.is_over = True
        return not self.is_over

    def has_several(self, number: Any) -> Any:
        """Whether there are so many elements; what there is too little of is passed."""
        if not self.is_over and not indexed_items.has_item(self.source, self.place + (number - 1)):
            self.is_over = True
        return not self.is_over

    def taken(self) -> Any:
        """The next element, which there is."""
        self.place += 1
        return indexed_items.item(self.source, self.place - 1)

    def __next__(self) -> NoReturn:
        raise OnlyInProgram("the next element of an iterator is asked for")

    def __iter__(self) -> NoReturn:
        refuse()

    def __contains__(self, value: Any) -> NoReturn:
        refuse()


def advance(it: Any) -> Any:
    """Whether `next(it)` is an element."""
    if not is_iterator(it):
        indexed_items.refuse_next(it)
    return it.has_next()


def advance_or(it: Any, default: Any) -> Any:
    """What `next(it, default)` is."""
    if not is_iterator(it):
        indexed_items.refuse_next(it)
    if not it.has_next():
        return default
    return it.taken()


def first_of(it: Any) -> Any:
    """What `next(it)` is."""
    if not it.has_next():
        raise StopIteration
    return it.taken()


def rest(it: Any, found: Any) -> Any:
    """A list, and behind it the elements that are left."""
    while it.has_next():
        found.append(it.taken())
    return found


def is_iterator(value: Any) -> bool:
    """Whether a value is such an iterator; of one on the heap it is known by its class."""
    return (
        issubclass(reference_kind(value), Iterator)
        if is_reference(value)
        else isinstance(value, Iterator)
    )


def refuse() -> NoReturn:
    """Refuse what takes some elements of an iterator, and not all."""
    raise Unsupported(
        "an iterator that a variable has is gone over in part",
        "how far it is gone over afterwards is not known inside of an expression.",
        "write a loop: for x in it: ...\nor take all that is left first: rest = list(it)",
    )


def _code(name: str) -> types.CodeType:
    code: types.CodeType = inspect.getattr_static(Iterator, name).__code__
    return code


_METHODS = ("__init__", "has_next", "has_several", "taken")


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [*map(_code, _METHODS), *(f.__code__ for f in (advance, advance_or, first_of, rest))]
