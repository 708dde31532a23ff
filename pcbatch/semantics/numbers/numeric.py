"""Functions of numbers, brought to the values of one member: which dtype they are computed in.

Integers are float64 where floats are wanted, as in Python; a float keeps its width. Where all
values stand for Python numbers, so does the result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.numbers import unsigned
from pcbatch.semantics.numbers.widths import constant
from pcbatch.semantics.operators import is_tensor, is_weak, mark_weak, promote

Meaning = Callable[..., Any]


def of_floats(function: Callable[..., Any], meaning: Meaning) -> Meaning:
    """Return what a function of floats is on a member's numbers."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        return marked(args, meaning(*floats(label(function), args)))

    return run


def marked(args: Sequence[Any], result: Any) -> Any:
    """The result, weak where no argument has a width of its own."""
    strong = any(is_tensor(a) and a.dtype.is_floating and not is_weak(a) for a in args)
    if strong or not is_tensor(result) or result.dtype == tf.bool:
        return result
    return mark_weak(result)


def floats(name: str, args: Sequence[Any]) -> list[Any]:
    """The arguments as tensors of one floating dtype."""
    for value in args:
        check_scalar(name, value)
        check_real(name, value)
    return [_cast(value, _width(args)) for value in args]


def _width(args: Sequence[Any]) -> tf.DType:
    """The widest float among what has a width; a Python number has none, an integer float64."""
    tensors = [a for a in args if is_tensor(a)]
    strong = [a.dtype for a in tensors if a.dtype.is_floating and not is_weak(a)]
    weak = [a.dtype if a.dtype.is_floating else tf.float64 for a in tensors]
    return max(strong or weak, key=lambda t: t.size)


def _cast(value: Any, dtype: tf.DType) -> Any:
    return tf.cast(value, dtype) if is_tensor(value) else constant(float(value), dtype)


def check_real(name: str, value: Any) -> None:
    """Refuse complex numbers.

    Raises:
      TypeError: the value is one, or an array of them.
    """
    if (is_tensor(value) and value.dtype.is_complex) or isinstance(value, complex):
        raise TypeError(f"{name} takes a real number, not a complex one: use cmath")


def check_scalar(name: str, value: Any) -> None:
    if is_tensor(value) and value.shape.rank != 0:
        raise TypeError(
            f"{name} takes a number, not an array of shape {value.shape}: "
            "loop over its elements, or use a function of arrays"
        )
    if isinstance(value, (Buffer, str, list, tuple)) or value is None:
        raise TypeError(f"{name} takes a number, not {type(value).__name__}")


def of_integers(function: Callable[..., Any], meaning: Meaning) -> Meaning:
    """Return what a function of integers is on a member's numbers."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        given = [integer(label(function), value) for value in args if value is not None]
        given = [unsigned.as_signed(label(function), value) for value in given]
        common = [functools.reduce(lambda a, b: promote(a, b)[0], [v, *given]) for v in given]
        result = meaning(*(_whole(v, common) for v in given))
        return mark_weak(result) if all(map(is_weak, given)) else result

    return run


def _whole(value: Any, common: Sequence[Any]) -> Any:
    dtype = max((v.dtype for v in common if is_tensor(v)), key=lambda t: t.size)
    return tf.cast(value, dtype) if is_tensor(value) else constant(value, dtype)


def integer(name: str, value: Any) -> Any:
    """A member's integer; a truth value is one, too."""
    check_scalar(name, value)
    if is_tensor(value) and value.dtype == tf.bool:
        return mark_weak(tf.cast(value, tf.int32))
    if (is_tensor(value) and not value.dtype.is_integer) or isinstance(value, float):
        raise TypeError(f"{name}: 'float' object cannot be interpreted as an integer")
    return int(value) if not is_tensor(value) else value


def label(function: Any) -> str:
    """What a function is called in a message."""
    module = getattr(function, "__module__", "builtins")
    return function.__name__ if module == "builtins" else f"{module}.{function.__name__}"
