"""Objects of the user's that have elements: by a generator as `__iter__`, or by `__next__`.

What goes over them is plain Python, as `iterators` are: functions of the program.
"""

from __future__ import annotations

import types
from typing import Any

from pcbatch.semantics.generated import generated, generated_by, makes, method_of
from pcbatch.semantics.iterators import is_iterator, rest
from pcbatch.semantics.special import is_users


def elements_of(value: Any) -> Any:
    """What gives the elements of an object: a list, if its class is the user's."""
    it = iterator_of(value)
    if is_iterator(it):
        return rest(it, [])
    return value


def iterator_of(value: Any) -> Any:
    """What a loop goes over: an object of the user's makes it."""
    if is_iterator(value):
        return value
    if makes_generator(value):
        return generated_by(value, "__iter__")
    if is_users_iterator(value):
        return generated(given_by, value.__iter__())
    return value


def given_by(it: Any) -> Any:
    """The elements that an iterator of the user's gives."""
    while True:
        try:
            element = it.__next__()
        except StopIteration:
            return
        yield element


def has_elements(value: Any) -> bool:
    """Whether a value is an object of the user's that a loop goes over by its own methods."""
    return not is_iterator(value) and (makes_generator(value) or is_users_iterator(value))


def makes_generator(value: Any) -> bool:
    """Whether a value is an object of the user's whose `__iter__` is a generator function."""
    return makes(value, "__iter__")


def is_users_iterator(value: Any) -> bool:
    """Whether a value is an object of the user's that has its next elements itself."""
    return is_users(method_of(value, "__next__")) and is_users(method_of(value, "__iter__"))


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [elements_of.__code__, iterator_of.__code__]
