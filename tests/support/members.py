"""A batch is what plain Python gives for each of its members, values and exceptions."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from pcbatch.semantics import pytree


def arguments_of(args: Sequence[Any], member: int) -> tuple[Any, ...]:
    """A member's arguments as Python has them: numbers, arrays of its own, lists of them.

    Args:
      args: of the batch: structures of arrays, `[B, ...]`.
      member: which.
    """

    def leaf(x: np.ndarray) -> Any:
        row = x[member]
        return row.item() if np.ndim(row) == 0 else row.copy()

    return tuple(tf.nest.map_structure(leaf, arg) for arg in args)


def of_member(value: Any, member: int) -> Any:
    """A member's part of a result, as Python's numbers and lists.

    Args:
      value: a structure of `[B, ...]` tensors, ragged ones for lists of a length per member, with
        a `pcbatch.Optional` for what is None for some members, and `pcbatch.Labels` for texts.
      member: which.
    """

    def leaf(x: Any) -> Any:
        if x is None:
            return None
        if isinstance(x, pcbatch.Optional):
            if isinstance(x.has_value, tf.RaggedTensor):
                return x.tolist()[member]
            return of_member(x.value, member) if x.has_value[member] else None
        if isinstance(x, pcbatch.Labels):
            return x.tolist()[member]
        row = x[member]
        return row.to_list() if isinstance(row, tf.RaggedTensor) else np.asarray(row).tolist()

    leaves, tree = pytree.flatten(value, stop=(pcbatch.Optional, pcbatch.Labels))
    return pytree.unflatten(tree, map(leaf, leaves))


@functools.cache
def shared(function: Callable[..., Any]) -> pcbatch.Autobatched:
    """The batched function, the same one each time: for several ways to run it, it is typed once.

    Args:
      function: of one example, of a module: it lives as long as the process.
    """
    return pcbatch.autobatch(function)


def _batched(function: Callable[..., Any]) -> pcbatch.Autobatched:
    if isinstance(function, pcbatch.Autobatched):
        return function
    scope = vars(sys.modules.get(function.__module__, object))
    lives = scope.get(getattr(function, "__name__", "")) is function
    return shared(function) if lives else pcbatch.autobatch(function)


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The value of a call, or the exception that it raises."""
    try:
        return function(*copy.deepcopy(args))
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NameError,
        RuntimeError,
        StopIteration,
        TypeError,
        ValueError,
    ) as error:
        return error


def same_fault(message: str, error: Exception) -> bool:
    """Does a status say what Python raises? `{...}` in it stands for what the member knows only."""
    kind, _, text = message.partition(": ")
    return kind == type(error).__name__ and ("{" in text or text == str(error))


def check(function: Any, *args: Any, truths: list[Any] | None = None, **options: Any) -> None:
    """Assert that each member of a batch has plain Python's value, or stops with its exception.

    Args:
      function: of one example, autobatched or not. One of a module is typed once for all checks.
      args: of the batch.
      truths: what Python gives for each member, or raises; None: ask the function.
      options: how to run it; by default `strategy="local"`.
    """
    batched = _batched(function)
    if truths is None:
        size = len(tf.nest.flatten(args)[0])
        truths = [outcome(batched.single, arguments_of(args, k)) for k in range(size)]
    result = batched.run(*args, **(options or {"strategy": "local"}))
    assert len(truths) == len(np.asarray(result.status))
    for k, truth in enumerate(truths):
        message = result.message(k).partition("\n")[0]
        if isinstance(truth, Exception):
            assert same_fault(message, truth), (k, message, truth)
        else:
            assert not message, (k, message)
            assert (found := of_member(result.value, k)) == truth, (k, found, truth)
