"""What Python's operators mean on the values of one member.

The frontend sends every operator of the user's program here. Where no tensor takes part, Python
decides. Where one does, `widths` says which dtype the result has. A tensor that stands for a Python
scalar (a loop counter, say) is *weak*, as in JAX; which tensors are is known to the `weak_scope` in
which the code is traced.
"""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.backend.exact import shifted
from pcbatch.semantics import chosen_texts, exceptions, identity, maybe_none, sharing, special
from pcbatch.semantics.buffers import Buffer, same
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.indexing import indexed as _indexed
from pcbatch.semantics.keys import matches, varies
from pcbatch.semantics.misuse import RepeatedByMember, refuse_text
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers import overflow
from pcbatch.semantics.numbers.comparison import compared
from pcbatch.semantics.numbers.division import floor_divided, remainder
from pcbatch.semantics.numbers.promotion import (
    DoesNotFit,
    fits,
    gives_weak,
    integer_of,
    is_tensor,
    is_weak,
    mark_weak,
    number,
    promote,
    quotient,
    weak_scope,
)
from pcbatch.semantics.numbers.promotion import cast as _cast
from pcbatch.semantics.numbers.promotion import is_truth as _is_truth
from pcbatch.semantics.numbers.widths import INTEGER, joined, kind
from pcbatch.semantics.numbers.zeros import kept_zeros
from pcbatch.semantics.pytree import dense
from pcbatch.semantics.sequences import of_sequences
from pcbatch.semantics.static_values import Meanings, MemberSequence, PartOfArray
from pcbatch.semantics.texts import Text, contains
from pcbatch.semantics.types import is_same

__all__ = [
    "DoesNotFit", "binary", "compare", "fits", "indexed", "is_tensor", "is_weak", "kind",
    "mark_weak", "promote", "truth", "unary", "weak_scope",
]  # fmt: skip


def _keep_weak(function: Callable[..., Any]) -> Callable[..., Any]:
    """The result of operands that are Python numbers, or become one, is weak."""

    @functools.wraps(function)
    def wrapper(symbol: str, *operands: Any) -> Any:
        result = function(symbol, *operands)
        if is_tensor(result) and result.dtype != tf.bool and gives_weak(symbol, *operands):
            mark_weak(result)
        return sharing.computed(result, operands)

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
        if is_weak(a) and first and second:  # A Python integer, however narrow the other is.
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
    if isinstance(a, (str, bytes)) and symbol == "%":
        refuse_text("%", b)
    a, b = dense(a), dense(b)
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        return binary(symbol, *maybe_none.operands(_PYTHON[symbol], a, b))
    if isinstance(a, ChosenText) or isinstance(b, ChosenText):
        chosen_texts.refuse()
    if (found := special.binary(symbol, a, b)) is not NotImplemented:
        return found
    if isinstance(a, MemberSequence) or isinstance(b, MemberSequence):
        return of_sequences(symbol, _PYTHON[symbol], a, b)
    a, b = _beside(a, b), _beside(b, a)
    if not (is_tensor(a) or is_tensor(b)):
        return _PYTHON[symbol](a, b)
    if symbol == "*":
        for sequence, times in ((a, b), (b, a)):
            if isinstance(sequence, (list, tuple)) and is_tensor(times) and times.shape.rank == 0:
                return Meanings.repeated(sequence, times)
        _refuse_repetition(a, b)
    if symbol in _INTEGERS_OF and all(_is_truth(v) for v in (a, b)):
        return binary(symbol, integer_of(a), integer_of(b))
    if symbol in ("//", "%") and is_tensor(a) and _is_power_of_two(b, a.dtype):
        return _TENSOR[">>"](a, b.bit_length() - 1) if symbol == "//" else a & (b - 1)
    if symbol == "&":
        a, b = _last_bits(a, b), _last_bits(b, a)
    if symbol in ("<<", ">>"):
        exceptions.shift(symbol, b)
        overflow.note(symbol, a, b)
        return _TENSOR[symbol](a, b)
    whole = symbol == "/" and not any(kind(_type_of(v)) > INTEGER for v in (a, b))
    a, b = quotient(a, b) if symbol == "/" else promote(a, b)
    overflow.note(symbol, a, b)
    if symbol == "**":
        exceptions.power(a, b)
    if symbol in ("/", "//", "%"):
        return exceptions.quotient(symbol, _divided(symbol, a, b, whole), a, b)
    if symbol in ("+", "-"):
        a, b = kept_zeros(symbol, a, b)
    return _TENSOR[symbol](a, b)


def _beside(value: Any, other: Any) -> Any:
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


_OF_FLOATS = {"//": floor_divided, "%": remainder}


def _refuse_repetition(a: Any, b: Any) -> None:
    """Refuse `"ab" * n`: a text has no length for each member."""
    for sequence, times in ((a, b), (b, a)):
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
    return known and 0 < divisor <= dtype.max and divisor & (divisor - 1) == 0


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
    return python[symbol](a)


def indexed(value: Any, *texts: str, adding: bool = False) -> Any:
    """What `value[...]` is looked up in; see `indexing.indexed`."""
    value = maybe_none.subscripted(value) if isinstance(value, MaybeNone) else value
    if isinstance(value, ChosenText):
        chosen_texts.refuse()
    found = special.items_of(value)
    return _indexed(value, *texts, adding=adding) if found is None else found


_COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_SAME = ("is", "is not", "==", "!=")
"""What compares buffers: as objects, not their elements."""


def compare(symbol: str, a: Any, b: Any) -> Any:
    """One comparison of a chain."""
    return sharing.computed(_compare(symbol, a, b), (a, b))


def _compare(symbol: str, a: Any, b: Any) -> Any:
    if symbol == "in":
        return _contains(b, a)
    if symbol == "not in":
        return unary("not", _contains(b, a))
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        return _compare_maybe(symbol, a, b)
    if isinstance(a, ChosenText) or isinstance(b, ChosenText):
        known = symbol in _SAME and not (isinstance(a, Text) or isinstance(b, Text))
        found = chosen_texts.equal(a, b) if known else chosen_texts.refuse()
        return unary("not", found) if symbol in ("is not", "!=") else found
    if (found := special.compare(symbol, a, b)) is not NotImplemented:
        return found
    if symbol == "!=" and (found := special.compare("==", a, b)) is not NotImplemented:
        return unary("not", found)
    if isinstance(a, Buffer) and isinstance(b, Buffer) and symbol in _SAME:
        return same(a, b) if symbol in ("is", "==") else unary("not", same(a, b))
    if isinstance(b, PartOfArray) and symbol in _MIRRORED and not isinstance(a, PartOfArray):
        return compare(_MIRRORED[symbol], b, a)
    if isinstance(a, PartOfArray) and symbol in _MIRRORED:
        return a.compared(symbol, b)
    if isinstance(a, MemberSequence) and symbol in ("is", "is not"):
        found = a.is_same(b)
        return found if symbol == "is" else unary("not", found)
    if symbol in ("is", "is not") and identity.may_be_copy(a) and identity.may_be_copy(b):
        return identity.is_one(a, b) == (symbol == "is")
    if symbol in ("is", "is not") and is_tensor(a) != is_tensor(b):
        found = is_same(a, b) if is_tensor(a) else is_same(b, a)
        return found if symbol == "is" else unary("not", found)
    if symbol not in ("is", "is not"):
        a, b = _beside(a, b), _beside(b, a)
    if symbol not in ("is", "is not") and (is_tensor(a) or is_tensor(b)):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            return symbol == "!="
        for tensor, number in ((a, b), (b, a)):
            if is_tensor(tensor) and not fits(number, tensor.dtype):
                # Where all values of the dtype lie on one side, any of them will do for the tensor.
                found = _COMPARE[symbol](*(0 if x is tensor else x for x in (a, b)))
                return tf.fill(tensor.shape, found)
        return compared(symbol, a, b)
    if symbol not in ("is", "is not") and _are_sequences(a, b) and holds_tensor((a, b)):
        return _compare_sequences(symbol, a, b)
    if isinstance(a, MemberSequence) or isinstance(b, MemberSequence):
        return of_sequences(symbol, _COMPARE[symbol], a, b)
    return _COMPARE[symbol](a, b)


def _compare_maybe(symbol: str, a: Any, b: Any) -> Any:
    """A comparison of what is None for some members."""
    if symbol not in _SAME:
        return compare(symbol, *maybe_none.operands(_COMPARE[symbol], a, b))
    if symbol.startswith("is"):
        found = maybe_none.identical(a, b)
    else:
        found = maybe_none.equal(compare, a, b)
    return unary("not", found) if symbol in ("is not", "!=") else found


def _are_sequences(a: Any, b: Any) -> bool:
    return any(isinstance(a, kind) and isinstance(b, kind) for kind in (tuple, list))


def holds_tensor(value: Any) -> bool:
    """Whether a value is a tensor, or a tuple or a list in which there is one."""
    if isinstance(value, (tuple, list)):
        return any(map(holds_tensor, value))
    return is_tensor(value) or isinstance(value, (ChosenText, MaybeNone))


def _compare_sequences(symbol: str, a: Any, b: Any) -> Any:
    """Tuples or lists: by the first elements that differ, else by their lengths."""
    if symbol in ("==", "!="):
        same: Any = len(a) == len(b)
        for left, right in zip(a, b, strict=False):
            same = tf.logical_and(same, truth(compare("==", left, right)))
        return same if symbol == "==" else tf.logical_not(same)
    result: Any = _COMPARE[symbol](len(a), len(b))
    for left, right in reversed(list(zip(a, b, strict=False))):
        differ = truth(compare("!=", left, right))
        result = tf.where(differ, truth(compare(symbol, left, right)), result)
    return result


def _contains(container: Any, value: Any) -> Any:
    if contains_value := special.method(container, "__contains__"):
        return truth(contains_value(value))
    if isinstance(container, MemberSequence):
        return container.contains(value)
    if isinstance(container, ChosenText):
        chosen_texts.refuse()
    if isinstance(container, str) and isinstance(value, ChosenText):
        return chosen_texts.is_within(value, container)
    if isinstance(container, Text) or (isinstance(container, str) and isinstance(value, Text)):
        return contains(container, value)
    container = container.array if isinstance(container, Buffer) else container
    if is_tensor(container):
        return tf.reduce_any(compare("==", value, container))
    if isinstance(container, range) and is_tensor(value):
        return _in_range(container, value)
    if isinstance(container, (set, frozenset, dict, KeysView)) and varies(value):
        return tf.reduce_any(matches(list(container), value))
    container = tuple(container) if isinstance(container, _IN_ORDER) else container
    if isinstance(container, (tuple, list)) and any(map(_may_differ, (value, *container))):
        return functools.reduce(tf.logical_or, [compare("==", value, c) for c in container], False)
    return value in container


_IN_ORDER = (ValuesView, ItemsView, collections.deque)
"""What is searched from the first to the last, besides lists and tuples."""


def _may_differ(value: Any) -> bool:
    """Whether members may differ in what a value equals."""
    return holds_tensor(value) or isinstance(value, (Buffer, MemberSequence, Text))


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
    if isinstance(value, MemberSequence):
        return value.truth()
    if isinstance(value, MaybeNone):
        return tf.logical_and(value.there, truth(value.value))
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
