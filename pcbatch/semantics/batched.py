"""Callables that take the batch axis themselves."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pickling, pytree


class Batched(pickling.Wrapper):
    """A callable written for the whole batch; make one with `pcbatch.batched`."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.function = function
        if isinstance(function, types.FunctionType):
            pickling.note(self, function, Batched, ())

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        """Pickle it by its name where it is made of a function, as one."""
        if not isinstance(self.function, types.FunctionType):
            return Batched, (self.function,)
        return pickling.reduce(self, Batched, (), protocol)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it on one example: the batch of one."""
        lift = functools.partial(tf.expand_dims, axis=0)
        args, kwargs = _on_tensors(lift, args), _on_tensors(lift, kwargs)
        return _on_tensors(lambda x: tf.squeeze(x, 0), self.function(*args, **kwargs))


def _on_tensors(fn: Callable[[Any], Any], value: Any) -> Any:
    leaves, tree = pytree.flatten(value)
    return pytree.unflatten(
        tree, [fn(tf.convert_to_tensor(x)) if _numeric(x) else x for x in leaves]
    )


def _numeric(value: Any) -> bool:
    return tf.is_tensor(value) or hasattr(value, "__array__") or isinstance(value, (int, float))


def batched(function: Callable[..., Any]) -> Batched:
    """Mark a callable as one that takes the batch axis itself.

    Inside an autobatched function it is then called once for the whole batch instead of being
    vectorized: each tensor of the members comes as `[B, ...]`, and each result must be `[B, ...]`.
    Values that are the same for all members come as they are.

    Args:
      function: takes and returns (structures of) tensors with the batch on axis 0. Member b of the
        result may depend on member b of the arguments only.

    Returns:
      A callable; called on its own it takes one example.
    """
    return Batched(function)
