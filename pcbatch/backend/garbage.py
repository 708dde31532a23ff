"""While a program is compiled, collections of garbage go over the objects made meanwhile only.

A full collection in a process that has imported TensorFlow goes over a million objects, nearly all
of which stay. It takes a quarter of a second, and the first call has to wait for it.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def of_new_objects(function: Callable[P, T]) -> Callable[P, T]:
    """A function during which collections leave out what was there before; afterwards it is back.

    What the user has frozen stays so: then nothing is done.
    """

    @functools.wraps(function)
    def collecting(*args: P.args, **kwargs: P.kwargs) -> T:
        if gc.get_freeze_count():  # by the user, or around this call
            return function(*args, **kwargs)
        gc.freeze()
        try:
            return function(*args, **kwargs)
        finally:
            gc.unfreeze()

    return collecting
