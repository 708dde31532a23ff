"""Calls of generator functions that put their elements into a list, and of `__iter__` that do.

An `__iter__` that returns `iter(E)` gives `E` to a program, and a list of what it makes only when
it is asked for: `return map(f, xs)`. Whether all elements are taken at once, its caller knows.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from pcbatch.semantics.special import is_users

ELEMENTS = "__elements__"
"""The parameter, of each generator function of the program, that takes the list."""


def with_elements(function: types.FunctionType, own: inspect.Signature) -> inspect.Signature:
    """The signature by which a program calls a function: of a generator function with the list.

    Args:
      function: the function.
      own: its signature.
    """
    returns = returns_iterator(function)
    if not returns and not inspect.isgeneratorfunction(function):
        return own
    default = None if returns else inspect.Parameter.empty
    elements = inspect.Parameter(ELEMENTS, inspect.Parameter.KEYWORD_ONLY, default=default)
    named = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in own.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    return inspect.Signature([*named, elements, *rest])


ITERATING = ("__iter__", "__reversed__")
"""The methods that give an iterator."""


def returns_iterator(function: Any) -> bool:
    """Whether something is an `__iter__` of the user's that is no generator function, or a
    `__reversed__`."""
    is_one = is_users(function) and function.__name__ in ITERATING
    return is_one and not inspect.isgeneratorfunction(function)
