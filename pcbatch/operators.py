"""What Python's operators mean on the values of one member.

The frontend sends every operator of the user's program here. Where no tensor takes part, Python
decides. Where one does, Python scalars are *weak*, as in JAX: they take the other operand's dtype;
and so is a tensor that stands for a Python scalar (a loop counter, say). Which tensors are weak is
known to the `weak_scope` in which the code is traced.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.indexing import indexed

__all__ = ["binary", "compare", "indexed", "truth", "unary"]

_WEAK: contextvars.ContextVar[dict[int, Any] | None] = contextvars.ContextVar("weak", default=None)


@contextlib.contextmanager
def weak_scope() -> Iterator[None]:
    """Remember, inside, which tensors are weak."""
    token = _WEAK.set({})
    try:
        yield
    finally:
        _WEAK.reset(token)


def mark_weak(tensor: Any) -> Any:
    """Declare that a tensor stands for a Python scalar; returns it."""
    registry = _WEAK.get()
    if registry is not None:
        registry[id(tensor)] = tensor
    return tensor


def is_weak(value: Any) -> bool:
    """Whether the value takes the dtype of what it meets."""
    if type(value) in (int, float, bool):
        return True
    registry = _WEAK.get()
    return registry is not None and registry.get(id(value)) is value


def is_tensor(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable))


_KIND = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def kind(dtype: Any) -> int:
    """Where a dtype stands in bool < integer < float < complex; -1 for anything else."""
    dtype = tf.as_dtype(dtype)
    if dtype == tf.bfloat16:
        return 2
    return _KIND.get(np.dtype(dtype.as_numpy_dtype).kind, -1)


def _dtype_of(value: Any) -> tf.DType:
    if is_tensor(value):
        return value.dtype
    if type(value) is int:
        return tf.int32 if fits(value, tf.int32) else tf.int64
    scalars = {bool: tf.bool, float: tf.float32}
    return scalars[type(value)]


def fits(number: Any, dtype: tf.DType) -> bool:
    """Whether the dtype holds a Python number: any but integers that are too large or too small."""
    return type(number) is not int or kind(dtype) != _KIND["i"] or dtype.min <= number <= dtype.max


class DoesNotFit(OverflowError):
    """An integer dtype does not hold a Python integer, of which TensorFlow takes the last bits."""

    def __init__(self, number: int, dtype: tf.DType):
        super().__init__(f"{number} does not fit in {dtype.name} ({dtype.min} to {dtype.max})")
        self.number, self.dtype = number, dtype


def promote(a: Any, b: Any) -> tuple[Any, Any]:
    """Bring a weak operand to the other operand's dtype.

    Raises:
      DoesNotFit: one is a Python integer that the other's dtype does not hold.
    """
    weak_a, weak_b = is_weak(a), is_weak(b)
    if not (weak_a or weak_b) or not all(is_tensor(v) or is_weak(v) for v in (a, b)):
        return a, b
    type_a, type_b = _dtype_of(a), _dtype_of(b)
    if type_a == type_b and fits(a, type_a) and fits(b, type_b):
        return a, b
    if weak_a and weak_b:
        wider = max(type_a, type_b, key=lambda t: (kind(t), t.size))
    elif weak_a:
        wider = type_b if kind(type_a) <= kind(type_b) else type_a
    else:
        wider = type_a if kind(type_b) <= kind(type_a) else type_b
    return _cast(a, wider), _cast(b, wider)


def _cast(value: Any, dtype: tf.DType) -> Any:
    if is_tensor(value):
        return tf.cast(value, dtype)
    if not fits(value, dtype):
        raise DoesNotFit(value, dtype)
    return tf.constant(value, dtype)


def _keep_weak(function: Callable[..., Any]) -> Callable[..., Any]:
    """The result of weak operands is weak."""

    @functools.wraps(function)
    def wrapper(symbol: str, *operands: Any) -> Any:
        result = function(symbol, *operands)
        if is_tensor(result) and all(is_weak(v) for v in operands) and result.dtype != tf.bool:
            mark_weak(result)
        return result

    return wrapper


def _matmul(a: Any, b: Any) -> Any:
    """NumPy's `@`: vectors are allowed on either side."""
    a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
    if a.shape.rank == 1 and b.shape.rank == 1:
        return tf.reduce_sum(a * b)
    if b.shape.rank == 1:
        return tf.linalg.matvec(a, b)
    if a.shape.rank == 1:
        return tf.linalg.matvec(b, a, transpose_a=True)
    return tf.matmul(a, b)


def _shift(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def shift(a: Any, b: Any) -> Any:
        if not is_tensor(a):
            a = _cast(a, b.dtype)
        return function(a, _cast(b, a.dtype))

    return shift


_PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_TENSOR = _PYTHON | {
    "@": _matmul,
    "<<": _shift(tf.bitwise.left_shift),
    ">>": _shift(tf.bitwise.right_shift),
}
_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")


def _is_truth(value: Any) -> bool:
    return is_tensor(value) and value.dtype == tf.bool


@_keep_weak
def binary(symbol: str, a: Any, b: Any) -> Any:
    """Python's binary operator on two values of one member."""
    if not (is_tensor(a) or is_tensor(b)):
        return _PYTHON[symbol](a, b)
    if symbol in _ARITHMETIC and any(_is_truth(v) for v in (a, b)):
        # In Python truth values are integers, and so are weak.
        numbers = (mark_weak(tf.cast(v, tf.int32)) if _is_truth(v) else v for v in (a, b))
        return binary(symbol, *numbers)
    if symbol in ("//", "%") and is_tensor(a) and _is_power_of_two(b, a.dtype):
        return _TENSOR[">>"](a, b.bit_length() - 1) if symbol == "//" else a & (b - 1)
    if symbol == "&":
        a, b = _last_bits(a, b), _last_bits(b, a)
    if symbol not in ("<<", ">>"):
        a, b = promote(a, b)
    return _TENSOR[symbol](a, b)


def _last_bits(mask: Any, tensor: Any) -> Any:
    """A mask for an unsigned tensor without the bits that are zero there: `n & ~7`."""
    if type(mask) is not int or not is_tensor(tensor) or not tensor.dtype.is_unsigned:
        return mask
    return mask & tensor.dtype.max


def _is_power_of_two(divisor: Any, dtype: tf.DType) -> bool:
    """Whether dividing integers by it is a shift, and the remainder its last bits.

    Python rounds down, as a shift does; XLA's division rounds towards zero, and what makes one of
    the other costs several operations.
    """
    known = type(divisor) is int and kind(dtype) == _KIND["i"]
    return known and 0 < divisor <= dtype.max and divisor & (divisor - 1) == 0


@_keep_weak
def unary(symbol: str, a: Any) -> Any:
    """Python's unary operator."""
    if symbol == "not":
        return tf.logical_not(truth(a)) if is_tensor(a) else not a
    python: dict[str, Any] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
    if symbol == "+" and is_tensor(a):
        return a
    return python[symbol](a)


_COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip


def compare(symbol: str, a: Any, b: Any) -> Any:
    """One comparison of a chain."""
    if symbol == "in":
        return _contains(b, a)
    if symbol == "not in":
        return unary("not", _contains(b, a))
    if symbol not in ("is", "is not") and (is_tensor(a) or is_tensor(b)):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            return symbol == "!="
        for tensor, number in ((a, b), (b, a)):
            if is_tensor(tensor) and not fits(number, tensor.dtype):
                # Where all values of the dtype lie on one side, any of them will do for the tensor.
                found = _COMPARE[symbol](*(0 if x is tensor else x for x in (a, b)))
                return tf.fill(tensor.shape, found)
        a, b = promote(a, b)
    return _COMPARE[symbol](a, b)


def _contains(container: Any, value: Any) -> Any:
    if is_tensor(container):
        left, right = promote(value, container)
        return tf.reduce_any(tf.equal(left, right))
    if isinstance(container, range) and is_tensor(value):
        return _in_range(container, value)
    if isinstance(container, (tuple, list)) and any(map(is_tensor, (value, *container))):
        return functools.reduce(tf.logical_or, [compare("==", value, c) for c in container], False)
    return value in container


def _in_range(container: range, value: Any) -> Any:
    if not container:
        return False
    low, high = sorted((container[0], container[-1]))
    within = tf.logical_and(compare(">=", value, low), compare("<=", value, high))
    step = abs(container.step)
    if step == 1:
        return within
    # Where the value is within, the distance is right in 64 bits even where the two are not.
    distance = tf.cast(value, tf.uint64) - tf.constant(low % 2**64, tf.uint64)
    return within & tf.equal(distance % step, 0)


def truth(value: Any) -> Any:
    """Python's `bool` of a value: a Python bool, or a bool scalar tensor.

    Raises:
      ValueError: the value is a tensor that is not a scalar.
    """
    if not is_tensor(value):
        return bool(value)
    if value.shape.rank != 0:
        raise ValueError(
            f"the truth of a tensor of shape {value.shape} is ambiguous: "
            "use tf.reduce_any or tf.reduce_all"
        )
    return value if value.dtype == tf.bool else tf.not_equal(value, tf.zeros([], value.dtype))
