"""Objects of the user's that have elements, by their `__iter__`: a generator, or a function.

What goes over them is plain Python, as `iterators` are: functions of the program.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from pcbatch.semantics import pytree
from pcbatch.semantics.collected import ITERATING, returns_iterator
from pcbatch.semantics.generated import generated, generated_by, makes, method_of
from pcbatch.semantics.iterators import is_iterator, rest
from pcbatch.semantics.misuse import Unsupported, parts_of
from pcbatch.semantics.special import is_users, order_of
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.types import type_of


def elements_of(value: Any) -> Any:
    """What gives the elements of an object: a list, if its class is the user's."""
    if is_iterator(value):
        return rest(value, [])
    if is_users_iterator(value):
        return rest(iterator_of(value), [])
    if is_indexed(value):
        return by_index(value, [])
    if has_elements(value):
        return elements_of(value.__iter__(__elements__=[]))
    return value


def iterator_of(value: Any) -> Any:
    """What a loop goes over: an object of the user's makes it."""
    if is_iterator(value):
        return value
    if makes_generator(value):
        return generated_by(value, "__iter__")
    if is_users_iterator(value):
        return generated(given_by, value.__iter__())
    if gives_iterator(value):
        return iterator_of(value.__iter__(__elements__=None))
    if is_indexed(value):
        return generated(next_by_index, value)
    return value


def listed(value: Any) -> Any:
    """What an object goes over whose `__iter__` returns an iterator; another value itself."""
    if gives_iterator(value):
        return iterator_of(value)
    return value


def turned(value: Any) -> Any:
    """All elements of `reversed(value)`, which the class of an object says."""
    return elements_of(value.__reversed__(__elements__=[]))


def turned_in_parts(value: Any) -> Any:
    """The same of one whose `__reversed__` returns an iterator."""
    return iterator_of(value.__reversed__(__elements__=None))


def by_index(value: Any, found: Any) -> Any:
    """The elements of an object by `__getitem__` alone: `obj[0]`, ... up to an IndexError.

    It is a function of the program where an object is gone over so, see `methods_of_elements`.
    """
    k = 0
    while True:
        try:
            element = value[k]
        except IndexError:
            return found
        found.append(element)
        k += 1


def next_by_index(value: Any) -> Any:
    """The same, each when it is asked for."""
    k = 0
    while True:
        try:
            element = value[k]
        except IndexError:
            return
        yield element
        k += 1


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
    if is_iterator(value):
        return False
    own = method_of(value, "__iter__")
    return makes_generator(value) or returns_iterator(own) or is_indexed(value)


def is_indexed(value: Any) -> bool:
    """Whether a value is an object of the user's that has elements by `__getitem__` alone."""
    return method_of(value, "__iter__") is None and is_users(method_of(value, "__getitem__"))


def is_turned(value: Any) -> bool:
    """Whether a class of the user's says what `reversed(value)` is."""
    return makes(value, "__reversed__") or is_turned_in_parts(value)


def is_turned_in_parts(value: Any) -> bool:
    """Whether its `__reversed__` returns an iterator."""
    return returns_iterator(method_of(value, "__reversed__"))


def is_searched(value: Any) -> bool:
    """Whether `x in value` goes over what an `__iter__` of the user's returns."""
    return gives_iterator(value) and method_of(value, "__contains__") is None


def is_asked(value: Any) -> bool:
    """Whether `iter(value)` is a generator of an object of the user's, or the object itself."""
    return makes_generator(value) or (not is_iterator(value) and is_users_iterator(value))


def makes_generator(value: Any) -> bool:
    """Whether a value is an object of the user's whose `__iter__` is a generator function."""
    return makes(value, "__iter__")


def gives_iterator(value: Any) -> bool:
    """Whether a value is an object of the user's whose `__iter__` returns an iterator."""
    if is_users_iterator(value):
        return False
    return returns_iterator(method_of(value, "__iter__"))


def methods_of_elements(values: Iterable[Any]) -> Iterator[types.CodeType]:
    """The code of the `__iter__` of objects, and of what is in them, that return an iterator.

    What Python does with the iterator fails when it has returned, so no traceback names it. Nor
    does one name the `__getitem__`, or the `__lt__` of elements of a list of the member, that
    Python is never asked to call.
    """
    for part in (part for value in values for part in parts_of(value)):
        for name in ITERATING:
            if returns_iterator(found := method_of(part, name)):
                yield found.__code__
        if is_indexed(part):
            yield by_index.__code__
            yield method_of(part, "__getitem__").__code__
        if isinstance(part, MemberSequence):
            orders = (order_of(node.type) for node in pytree.nodes(pytree.flatten(part)[1]))
            yield from (order.__code__ for order in orders if order is not None)


def is_users_iterator(value: Any) -> bool:
    """Whether a value is an object of the user's that has its next elements itself."""
    return is_users(method_of(value, "__next__")) and is_users(method_of(value, "__iter__"))


def made_at_once(found: Any, elements: Any) -> Any:
    """A list of what Python makes one by one.

    Args:
      found: the list.
      elements: None where not all elements are taken before anything else happens.

    Raises:
      Unsupported: they are not.
    """
    if elements is not None:
        return found
    raise Unsupported(
        "the iterator that is returned makes elements when they are asked for, and not all are "
        "taken at once",
        "a loop with a break, or with calls that may change what the method reads, could see that "
        "a list was made before.",
        "take all elements first: for x in list(...):\n"
        "or let the method return the iterator of a list: return iter([...])",
    )


def returned(value: Any) -> Any:
    """What an `__iter__` returns that has its next elements itself.

    Raises:
      TypeError: it is no iterator.
    """
    if is_iterator(value) or is_users(method_of(value, "__next__")):
        return value
    raise TypeError(f"iter() returned non-iterator of type '{type_of(value).__name__}'")


_OF_PROGRAM = (elements_of, iterator_of, listed, turned, turned_in_parts)


def program_methods() -> list[types.CodeType]:
    """The code of what is a function of the program."""
    return [f.__code__ for f in _OF_PROGRAM]
