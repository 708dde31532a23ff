"""Tracebacks of pcbatch's own errors: what users see of them, and what developers do."""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable, Iterator
from typing import Any

from pcbatch.errors import PcbatchError
from pcbatch.semantics.user_code import is_own_file, is_typed_by_user

WHOLE = "PCBATCH_TRACEBACKS"
"""An environment variable: "whole" has tracebacks show the frames of pcbatch and TensorFlow."""


def short(function: Callable[..., Any]) -> Callable[..., Any]:
    """Raise pcbatch's own errors without the frames inside of it, which say nothing to users.

    The message has the place in the user's file. Of what has caused the error, the frames of the
    user's code are left. All other exceptions pass as they are.

    Args:
      function: what users call.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except PcbatchError as error:
            if os.environ.get(WHOLE) == "whole":
                raise
            if _is_inside(error.__cause__):
                error.__cause__ = None
            for cause in _causes(error):
                cause.__traceback__ = _users(cause.__traceback__)
            raise error.with_traceback(None)  # noqa: B904  (it is the same error)

    return call


def _is_inside(cause: BaseException | None) -> bool:
    """Whether it is of a class that users do not know: the message has been made of it."""
    return type(cause).__module__.startswith("pcbatch.") and not isinstance(cause, PcbatchError)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What an error came from, and that from, as Python shows it."""
    seen = {id(error)}
    while True:
        found = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if found is None or id(found) in seen:
            return
        seen.add(id(found))
        yield (error := found)


def _users(frames: types.TracebackType | None) -> types.TracebackType | None:
    """The frames of the user's code alone."""
    kept, left = [], frames
    while left is not None:
        file = left.tb_frame.f_code.co_filename
        if is_typed_by_user(file) and not is_own_file(file):
            kept.append(left)
        left = left.tb_next
    found = None
    for frame in reversed(kept):
        found = types.TracebackType(found, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return found
