"""Contexts of `with` statements: which are objects of the user's classes."""

from __future__ import annotations

import types
from typing import Any

from pcbatch.semantics.faults import require
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.references import is_reference, is_there
from pcbatch.semantics.user_code import is_typed_by_user

_METHODS = ("__enter__", "__exit__")
_NO_CONTEXT = "TypeError: 'NoneType' object does not support the context manager protocol"


def is_users(kind: Any) -> bool:
    """Whether something is a class of the user's whose objects are contexts."""
    methods = [getattr(kind, name, None) for name in _METHODS]
    return isinstance(kind, type) and all(
        isinstance(method, types.FunctionType) and is_typed_by_user(method.__code__.co_filename)
        for method in methods
    )


def checked(value: Any) -> tuple[Any]:
    """A primitive: a context, if it is an object of the user's.

    Raises:
      Unsupported: it is something else.
    """
    if isinstance(value, MaybeNone):
        refuse()
    if is_reference(value):
        require(is_there(value), _NO_CONTEXT)
    if is_users(type(value)):
        return (value,)
    raise Unsupported(
        f"`with` of a {type(value).__name__}",
        "a context of a library cannot be kept open while members go different ways.",
        "move the block into a plain function outside, which runs as one primitive",
    )
