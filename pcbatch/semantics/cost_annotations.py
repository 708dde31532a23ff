"""Marks on primitives: what a run is to count (gradients, say), and what a call costs."""

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
_EXPENSIVE = "pcbatch.expensive."
_PRICED = re.compile(r"((?:^|/)pcbatch\.expensive\.(\d+)(?:_\d+)?)/")


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


def expensive(
    function: Callable[..., Any] | None = None, *, flops: float = 1e9
) -> Callable[..., Any]:
    """Say what a call of a function costs, in place of the cost model's estimate from its graph.

    The sweep runs costly blocks on buckets of the members that wait for them, and cheap ones again
    and again. The model cannot see how long an inner loop runs, or what a custom operation does.

    ```python
    @pcbatch.expensive  # or @pcbatch.expensive(flops=2e6)
    def solve(position): ...
    ```

    Args:
      function: what autobatched functions call as a primitive.
      flops: the operations of one call for one member.

    Returns:
      The function, marked; without `function`, a decorator.

    Raises:
      ValueError: `flops` is negative or not finite.
    """
    if not 0 <= flops < float("inf"):
        raise ValueError(f"expensive(flops={flops!r}): a number of operations, at least 0")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def marked(*args: Any, **kwargs: Any) -> Any:
            with tf.name_scope(f"{_EXPENSIVE}{round(flops)}"):
                return function(*args, **kwargs)

        return marked

    return decorate if function is None else decorate(function)


def price(operation: str) -> tuple[str, float] | None:
    """The call of a function marked by `expensive` that an operation belongs to, and its cost.

    Args:
      operation: the name of an operation of a traced graph.
    """
    found = _PRICED.search(operation)
    return (operation[: found.end(1)], float(found.group(2))) if found else None
