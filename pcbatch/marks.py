"""Marks on primitives, so that a run can count what the user counts: gradients, say."""

from __future__ import annotations

import collections
import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

_SCOPE = "pcbatch.counted."
_NAME = re.compile(r"[A-Za-z][A-Za-z.]*")
_MARKED = re.compile(r"((?:^|/)pcbatch\.counted\.([A-Za-z.]+)(?:_\d+)?)/")


def counted(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function whose calls are to be counted; the line of `progress=True` shows their rate.

    ```python
    @pcbatch.counted("gradients")
    def value_and_gradient(position): ...
    ```

    Args:
      name: what a call is called, in the plural: letters and dots.

    Returns:
      A decorator for a function that autobatched functions call as a primitive.

    Raises:
      ValueError: the name has other characters.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"counted({name!r}): a name of letters and dots, such as 'gradients'")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def marked(*args: Any, **kwargs: Any) -> Any:
            with tf.name_scope(_SCOPE + name):
                return function(*args, **kwargs)

        return marked

    return decorate


def count(operations: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """How often a traced graph calls each marked function.

    Args:
      operations: the names of the graph's operations.
    """
    calls: dict[str, str] = {}
    for operation in operations:
        # The backward pass of a marked call repeats its scope under a name of its own.
        found = None if operation.startswith("gradient_tape/") else _MARKED.search(operation)
        if found:
            calls[operation[: found.end(1)]] = found.group(2)
    return tuple(sorted(collections.Counter(calls.values()).items()))
