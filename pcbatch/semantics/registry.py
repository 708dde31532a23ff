"""What functions of Python's library mean on the values of one member.

A module that knows the meaning of a function registers it; a call in the user's program finds it by
the function itself, whatever name the program has for it.
"""

from __future__ import annotations

import collections
import enum
import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import tensorflow as tf

from pcbatch.semantics import chosen_texts, identity, maybe_none, misuse, special, text_tables
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.caught import Caught
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.pytree import Reference, fields
from pcbatch.semantics.rounds import given_to
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.tensorflow_calls import with_numbers
from pcbatch.semantics.texts import Text
from pcbatch.semantics.types import is_tensor

_OWNERS = (np.ndarray, np.ufunc)

Meaning = Callable[..., Any]

_MEANINGS: dict[int, tuple[Any, Meaning]] = {}
"""By the identity of the function, as not every callable has a hash."""
_ALWAYS: set[int] = set()
"""The functions among them that are called through their meaning whatever they are given."""
_METHODS: dict[tuple[type, str], Meaning] = {}
"""By the type that has the method and its name."""


def register(function: Any, meaning: Meaning, *, always: bool = False) -> None:
    """Note what a function means where an argument is a member's value; or `always`."""
    _MEANINGS[id(function)] = (function, meaning)
    if always:
        _ALWAYS.add(id(function))


def register_method(owner: type, name: str, meaning: Meaning) -> None:
    """Note what a method means where its object, or an argument, holds a member's value.

    Args:
      owner: the type that has it.
      name: of the method.
      meaning: takes the object first.
    """
    _METHODS[owner, name] = meaning


def meaning_of(function: Any) -> Meaning | None:
    """What was registered for a function, or for a method of an object."""
    _, meaning = _MEANINGS.get(id(function), (None, None))
    return meaning or _of_class_method(function) or _of_method(function)


def _of_class_method(function: Any) -> Meaning | None:
    """What was registered for the function of a class method, which is bound anew each time."""
    if not isinstance(function, types.MethodType) or not isinstance(function.__self__, type):
        return None
    _, meaning = _MEANINGS.get(id(function.__func__), (None, None))
    return functools.partial(meaning, function.__self__) if meaning is not None else None


def _of_method(function: Any) -> Meaning | None:
    if not isinstance(function, types.BuiltinMethodType) or function.__self__ is None:
        return None
    kinds = type(function.__self__).__mro__
    found = (_METHODS.get((kind, function.__name__)) for kind in kinds)
    meaning = next(filter(None, found), None)
    return functools.partial(meaning, function.__self__) if meaning is not None else None


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call what an expression of the user's calls.

    Raises:
      Misuse: as `misuse.call`; it is a function of NumPy that has no meaning for members.
    """
    values = (getattr(function, "__self__", None), *args, *kwargs.values())
    varies = any(map(may_vary, values))
    maybe = any(isinstance(value, MaybeNone) for value in values)
    if maybe and _is_of_numbers(function) and not kwargs:
        return call(function, *maybe_none.taken(function, args))
    if _is_of_numbers(function) and any(asked := [special.of_math(function, x) for x in args]):
        return _of_objects(function, asked, args, kwargs)
    # An object of the user's may be called, whose `==` is its own.
    asks = function is isinstance or function is bool or isinstance(function, types.FunctionType)
    if maybe and not asks and not _looks_for(function, args, kwargs):
        refuse()
    if any(isinstance(value, ChosenText) for value in values) and not _takes_texts(function):
        return chosen_texts.refuse() if kwargs else text_tables.builtin(function, *args)
    if (varies or id(function) in _ALWAYS) and (meaning := meaning_of(function)) is not None:
        return meaning(*args, **kwargs)
    if _is_numpys(function):
        if varies and misuse.holds_member((args, kwargs)):
            misuse.check(function, args, kwargs)
            _refuse_numpy(function)
        args = tuple(map(_for_numpy, args))
        kwargs = {name: _for_numpy(value) for name, value in kwargs.items()}
    result = with_numbers(misuse.call, function, args, kwargs)
    return identity.as_keys(result) if isinstance(result, (set, frozenset, dict)) else result


def call_with(function: Any, /, *parts: Any, **kwargs: Any) -> Any:
    """Call it with the elements of all parts.

    Raises:
      UnknownLength: there is no saying how many; it has the function.
    """
    with given_to(function):
        given = [element for part in parts for element in iterated(part)]
    return call(function, *given, **kwargs)


def _of_objects(function: Any, asked: Sequence[Any], args: Any, kwargs: Any) -> Any:
    """What a function of `math` gives of objects: what the class says, or that of their floats."""
    numbers = [x if ask is None else ask() for ask, x in zip(asked, args, strict=True)]
    return (
        numbers[0] if special.gives_whole(function, *args) else call(function, *numbers, **kwargs)
    )


def _is_of_numbers(function: Any) -> bool:
    """Whether a function is one of Python's that takes numbers, and no None."""
    return getattr(function, "__module__", None) in ("math", "cmath")


def _looks_for(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a method of a list, or of a dict, of the member looks for what may be None."""
    of_member = isinstance(getattr(function, "__self__", None), MemberSequence)
    others = (*args[1:], *kwargs.values())
    is_known = not any(isinstance(value, MaybeNone) for value in others)
    return of_member and is_known and function.__name__ in ("get", "index", "count")


def _takes_texts(function: Any) -> bool:
    """Whether a function may know what to do with a text that depends on the member."""
    if isinstance(function, enum.EnumMeta) or (isinstance(function, type) and fields(function)):
        return True
    of_member = isinstance(getattr(function, "__self__", None), (ChosenText, MemberSequence))
    return of_member or isinstance(function, types.FunctionType) or bool(meaning_of(function))


def meant(function: Any) -> Any:
    """What a plain function of the user's runs where it calls a function."""
    if meaning_of(function) is not None:
        return functools.partial(call, function)
    return misuse.understood(function)


def _is_numpys(function: Any) -> bool:
    """Whether a function is NumPy's, or a method of one of its arrays."""
    if isinstance(function, np.ufunc) or isinstance(getattr(function, "__self__", None), _OWNERS):
        return True
    return (getattr(function, "__module__", None) or "").partition(".")[0] == "numpy"


def _refuse_numpy(function: Any) -> NoReturn:
    raise misuse.UnknownOfNumPy(numpy_name(function))


Meanings.unknown_of_numpy = _refuse_numpy


def numpy_name(function: Any) -> str:
    """What a function of NumPy is called in a message."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, _OWNERS):
        name = "ndarray" if isinstance(owner, np.ndarray) else f"np.{owner.__name__}"
        return f"{name}.{function.__name__}"
    module = (getattr(function, "__module__", None) or "numpy").split(".")[1:]
    inner = "".join(f"{part}." for part in module if not part.startswith("_"))
    return f"np.{inner}{getattr(function, '__name__', type(function).__name__)}"


def _for_numpy(value: Any) -> Any:
    """An argument for NumPy itself, which does not know the dtype of a tensor."""
    return np.dtype(value.as_numpy_dtype) if isinstance(value, tf.DType) else value


def may_vary(value: Any) -> bool:
    """Whether a value is one of a member's, an object, or a sequence that may hold some."""
    if isinstance(value, (tuple, list, collections.deque)):
        return any(map(may_vary, value))
    kinds = (Buffer, Caught, ChosenText, Iterator, MaybeNone, MemberSequence, Reference, Text)
    return is_tensor(value) or isinstance(value, kinds) or identity.is_object(value)
