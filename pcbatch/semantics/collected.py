"""Calls of generator functions that put their elements into a list."""

from __future__ import annotations

import inspect
import types

ELEMENTS = "__elements__"
"""The parameter, of each generator function of the program, that takes the list."""


def with_elements(function: types.FunctionType, own: inspect.Signature) -> inspect.Signature:
    """The signature by which a program calls a function: of a generator function with the list.

    Args:
      function: the function.
      own: its signature.
    """
    if not inspect.isgeneratorfunction(function):
        return own
    elements = inspect.Parameter(ELEMENTS, inspect.Parameter.KEYWORD_ONLY)
    named = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    rest = [p for p in own.parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]
    return inspect.Signature([*named, elements, *rest])
