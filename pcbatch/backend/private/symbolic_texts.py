"""The text of a tensor of a graph: a function may hear that it is wanted."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import ops

_ASKED: contextvars.ContextVar[Callable[[str], None] | None] = contextvars.ContextVar(
    "asked", default=None
)


@contextlib.contextmanager
def asking_for_text(asked: Callable[[str], None]) -> Iterator[None]:
    """Have a function called, inside, before the text of a tensor of a graph is made.

    The class of those tensors gets methods of its own for that, which do nothing else elsewhere.

    Args:
      asked: takes the name of the function; what it raises reaches whoever wants the text.
    """
    for name in ("str", "repr"):
        if f"__{name}__" not in vars(ops.SymbolicTensor):
            setattr(ops.SymbolicTensor, f"__{name}__", _text(name))
    token = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(token)


def _text(name: str) -> Callable[[Any], str]:
    inherited: Callable[[Any], str] = getattr(tf.Tensor, f"__{name}__")

    def text(tensor: Any) -> str:
        asked = _ASKED.get()
        if asked is not None:
            asked(name)
        return inherited(tensor)

    text.__name__ = inherited.__name__
    return text
