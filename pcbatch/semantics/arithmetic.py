"""Python's arithmetic on the values of one member, and their truth.

Where no tensor takes part, Python decides. Where one does, `widths` says which dtype a result has.
"""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.exact import shifted
from pcbatch.semantics import (
    chosen_texts,
    exceptions,
    maybe_none,
    reference_operations,
    sharing,
    special,
    spelling,
    text_formatting,
)
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.meanings import Meanings, contents
from pcbatch.semantics.misuse import RepeatedByMember, Unsupported
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers import overflow, unsigned
from pcbatch.semantics.numbers.division import floor_divided, remainder
from pcbatch.semantics.numbers.promotion import cast as _cast
from pcbatch.semantics.numbers.promotion import (
    gives_weak,
    integer_of,
    is_tensor,
    is_weak,
    mark_weak,
    number,
    promote,
    quotient,
)
from pcbatch.semantics.numbers.promotion import is_truth as _is_truth
from pcbatch.semantics.numbers.widths import INTEGER, joined, kind
from pcbatch.semantics.numbers.zeros import kept_zeros
from pcbatch.semantics.pytree import Reference, dense
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.sequences import of_sequences
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text


def _keep_weak(function: Callable[..., Any]) -> Callable[..., Any]:
    """The result of operands that are Python numbers, or become one, is weak."""

    @functools.wraps(function)
    def wrapper(symbol: str, *operands: Any) -> Any:
        given, operands = operands, unsigned.beside(symbol, *operands)
        result = function(symbol, *operands)
        if is_tensor(result) and result.dtype != tf.bool and gives_weak(symbol, *operands):
            mark_weak(result)
        return sharing.computed(unsigned.narrowed(symbol, result, given), operands)

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


def _shift(symbol: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def shift(a: Any, b: Any) -> Any:
        a = integer_of(a) if _is_truth(a) else a
        first, second = number(a), number(b)
        wide = a.dtype == tf.uint64  # The other one, which says how far, may have a sign.
        if is_weak(a) and not wide and first and second:  # However narrow the other is.
            a = _cast(a, joined(first, second).dtype)
        b = _cast(b, a.dtype)
        return shifted(symbol, a, b) if tf.executing_eagerly() else function(a, b)

    return shift


_PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_TENSOR = _PYTHON | {
    "@": _matmul,
    "<<": _shift("<<", tf.bitwise.left_shift),
    ">>": _shift(">>", tf.bitwise.right_shift),
}
_INTEGERS_OF = ("+", "-", "*", "/", "//", "%", "**")
"""What takes truth values as the integers that they are."""


@_keep_weak
def binary(symbol: str, a: Any, b: Any) -> Any:
    """Python's binary operator on two values of one member."""
    if isinstance(a, str) and symbol == "%":
        return text_formatting.percent(a, b)
    a, b = contents(dense(a)), contents(dense(b))
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        return binary(symbol, *maybe_none.operands(_PYTHON[symbol], a, b))
    if isinstance(a, (ChosenText, Text)) or isinstance(b, (ChosenText, Text)):
        return spelling.binary(symbol, a, b)
    if (found := special.binary(symbol, a, b)) is not NotImplemented:
        return found
    if isinstance(a, MemberSequence) or isinstance(b, MemberSequence):
        return of_sequences(symbol, _PYTHON[symbol], a, b)
    a, b = beside(a, b), beside(b, a)
    if not (is_tensor(a) or is_tensor(b)):
        return _PYTHON[symbol](a, b)
    if a is None or b is None:  # Python says that this has no meaning
        return _PYTHON[symbol](*(x if x is None else maybe_none.example(x) for x in (a, b)))
    if symbol == "*":
        for sequence, times in ((a, b), (b, a)):
            known = isinstance(sequence, (list, tuple, str))
            if known and is_tensor(times) and times.shape.rank == 0:
                of_text = isinstance(sequence, str)
                return (spelling.repeated if of_text else Meanings.repeated)(sequence, times)
        _refuse_repetition(a, b)
    if symbol in _INTEGERS_OF and all(_is_truth(v) for v in (a, b)):
        return binary(symbol, integer_of(a), integer_of(b))
    if symbol == "%" and unsigned.is_unsigned(a) and unsigned.is_size(b):
        return a
    if symbol in ("//", "%") and is_tensor(a) and _is_power_of_two(b, a.dtype):
        return _TENSOR[">>"](a, b.bit_length() - 1) if symbol == "//" else a & (b - 1)
    if symbol == "&":
        a, b = _last_bits(a, b), _last_bits(b, a)
    if symbol in ("<<", ">>"):
        exceptions.shift(symbol, b)
        overflow.note(symbol, a, b)
        return _TENSOR[symbol](a, b)
    if symbol == "**" and _is_negative(b) and is_tensor(a) and kind(a.dtype) == INTEGER:
        return mark_weak(binary("**", *quotient(a, b)))  # a float, as Python's is
    if symbol == "**" and unsigned.is_unsigned(a) and kind(_type_of(b)) == INTEGER:
        return unsigned.power(a, b, binary)
    whole = symbol == "/" and not any(kind(_type_of(v)) > INTEGER for v in (a, b))
    a, b = quotient(a, b) if symbol == "/" else promote(a, b)
    overflow.note(symbol, a, b)
    if symbol == "**":
        exceptions.power(a, b)
        b = exceptions.whole_exponent(a, b) if kind(_type_of(b)) == INTEGER else b
    if symbol in ("/", "//", "%"):
        return exceptions.quotient(symbol, _divided(symbol, a, b, whole), a, b)
    if symbol in ("+", "-"):
        a, b = kept_zeros(symbol, a, b)
    return _TENSOR[symbol](a, b)


def beside(value: Any, other: Any) -> Any:
    """An operand; the array of a list with values of the member that stands beside an array."""
    if isinstance(value, (list, tuple)) and sharing.is_array(other) and holds_tensor(value):
        return Meanings.array_of(value)
    return value


def _type_of(value: Any) -> Any:
    return value.dtype if is_tensor(value) else np.asarray(value).dtype


def _divided(symbol: str, a: Any, b: Any, whole: bool) -> Any:
    b = exceptions.divisor(symbol, a, b, whole)
    if symbol in _OF_FLOATS and b.dtype.is_floating:
        return _OF_FLOATS[symbol](_cast(a, b.dtype), b)
    return _TENSOR[symbol](a, b)


def _is_negative(exponent: Any) -> bool:
    """Whether an exponent is one of Python's integers, and negative."""
    return type(exponent) is int and exponent < 0


_OF_FLOATS = {"//": floor_divided, "%": remainder}


def _refuse_repetition(a: Any, b: Any) -> None:
    """Refuse `b"ab" * n` and `queue * n`, of which Python knows the elements."""
    for sequence, times in ((a, b), (b, a)):
        if isinstance(sequence, collections.deque):
            raise Unsupported(
                "a deque is repeated as often as a member says",
                "Python knows how long it is, and then each member would have a length of its own.",
                "make a new one of a list: q = deque(list(q) * n)",
            )
        if isinstance(sequence, (str, bytes)) and times.shape.rank == 0:
            raise RepeatedByMember(type(sequence).__name__)


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
    known = type(divisor) is int and kind(dtype) == INTEGER
    return known and 0 < divisor <= dtype.max + 1 and divisor & (divisor - 1) == 0


@_keep_weak
def unary(symbol: str, a: Any) -> Any:
    """Python's unary operator."""
    a = dense(a)
    if symbol == "not":
        value = truth(a)
        return tf.logical_not(value) if is_tensor(value) else not value
    python: dict[str, Any] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
    if isinstance(a, MaybeNone):
        return unary(symbol, maybe_none.operand(python[symbol], a))
    if is_tensor(a) and _is_truth(a) and symbol != "~":
        a = integer_of(a)
    if symbol == "+" and is_tensor(a):
        return tf.identity(a) if a.shape.rank else a  # NumPy's is another array.
    if (found := special.unary(symbol, a)) is not NotImplemented:
        return found
    overflow.note(symbol, a)
    if symbol == "-" and is_tensor(a) and a.dtype.is_unsigned:  # as NumPy: TensorFlow has none
        return tf.bitwise.invert(a) + tf.ones([], a.dtype)
    return python[symbol](a)


def truth(value: Any) -> Any:
    """Python's `bool` of a value: a Python bool, or a bool scalar tensor.

    Raises:
      ValueError: the value is a tensor that is not a scalar.
    """
    if isinstance(value, MemberSequence):
        return value.truth()
    if isinstance(value, MaybeNone):
        return tf.logical_and(value.there, truth(value.value))
    if is_reference(value):
        return reference_operations.truth(value, truth)
    if isinstance(value, ChosenText):
        return chosen_texts.truth(value)
    if isinstance(value, Text):
        return value.length > 0
    if (found := special.truth(value)) is not NotImplemented:
        return truth(found)
    if not is_tensor(value):
        return bool(value)
    if value.shape.rank != 0:
        raise ValueError(
            f"the truth of a tensor of shape {value.shape} is ambiguous: "
            "use tf.reduce_any or tf.reduce_all"
        )
    return value if value.dtype == tf.bool else tf.not_equal(value, tf.zeros([], value.dtype))


def holds_tensor(value: Any) -> bool:
    """Whether a value is a tensor, or a tuple or a list in which there is one."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_tensor, value))
    return is_tensor(value) or isinstance(value, (ChosenText, MaybeNone, Reference, Text))
