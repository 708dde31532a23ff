"""Python's comparisons of the values of one member: order, equality, identity and membership."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import ItemsView, KeysView, ValuesView
from typing import Any, cast

import tensorflow as tf

from pcbatch.semantics import (
    chosen_texts,
    derived_comparisons,
    identity,
    maybe_none,
    misuse,
    reference_operations,
    sharing,
    special,
    spelling,
    text_tables,
)
from pcbatch.semantics.arithmetic import beside, holds_tensor, truth, unary
from pcbatch.semantics.buffers import Buffer, same
from pcbatch.semantics.chosen_classes import ChosenClass
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require, said
from pcbatch.semantics.keys import matches, varies
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.comparison import compared
from pcbatch.semantics.numbers.promotion import fits, is_tensor
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.sequences import of_sequences
from pcbatch.semantics.static_values import MemberSequence, PartOfArray
from pcbatch.semantics.text_searching import contains
from pcbatch.semantics.texts import Text, text
from pcbatch.semantics.types import is_same, type_of

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
    if symbol not in ("is", "is not") and a is not None and b is not None:
        a, b = contents(a), contents(b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ChosenClass) and symbol in _SAME:
            found = one.is_same(other)
            return unary("not", found) if symbol in ("is not", "!=") else found
    if is_reference(a) or is_reference(b):
        found = _compare_references(symbol, a, b)
        if found is not NotImplemented:
            return found
    if isinstance(a, Text) or isinstance(b, Text):
        return _compare_spelled(symbol, a, b)
    if isinstance(a, ChosenText) or isinstance(b, ChosenText):
        if symbol not in _SAME:
            return text_tables.compared(symbol, a, b)
        found = chosen_texts.equal(a, b)
        return unary("not", found) if symbol in ("is not", "!=") else found
    if isinstance(b, PartOfArray) and symbol in _MIRRORED and not isinstance(a, PartOfArray):
        return compare(_MIRRORED[symbol], b, a)
    if isinstance(a, PartOfArray) and symbol in _MIRRORED:
        return a.compared(symbol, b)
    if (found := derived_comparisons.compare(symbol, a, b, compare)) is not NotImplemented:
        return found
    if (found := special.compare(symbol, a, b)) is not NotImplemented:
        return found
    if symbol == "!=" and (found := special.compare("==", a, b)) is not NotImplemented:
        return unary("not", found)
    if symbol in ("==", "!=") and any(map(identity.equals_only_itself, (a, b))):
        both = all(map(identity.equals_only_itself, (a, b)))
        return (both and identity.is_one(a, b)) == (symbol == "==")
    if isinstance(a, Buffer) and isinstance(b, Buffer) and symbol in _SAME:
        return same(a, b) if symbol in ("is", "==") else unary("not", same(a, b))
    if isinstance(a, MemberSequence) and symbol in ("is", "is not"):
        found = a.is_same(b)
        return found if symbol == "is" else unary("not", found)
    if symbol in ("is", "is not") and identity.may_be_copy(a) and identity.may_be_copy(b):
        return identity.is_one(a, b) == (symbol == "is")
    if symbol in ("is", "is not") and is_tensor(a) != is_tensor(b):
        found = is_same(a, b) if is_tensor(a) else is_same(b, a)
        return found if symbol == "is" else unary("not", found)
    if symbol in ("is", "is not") and is_tensor(a) and is_tensor(b) and a is not b:
        return _compare_numbers_as_objects(symbol, a, b)
    if symbol in ("==", "!=") and (_is_no_number(a, b) or _is_no_number(b, a)):
        return symbol == "!="
    if symbol not in ("is", "is not"):
        a, b = beside(a, b), beside(b, a)
    if symbol not in ("is", "is not") and (is_tensor(a) or is_tensor(b)):
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            if symbol not in _SAME:
                names = " and ".join(repr(type_of(x).__name__) for x in (a, b))
                raise TypeError(f"'{symbol}' not supported between instances of {names}")
            return symbol == "!="
        for tensor, number in ((a, b), (b, a)):
            if is_tensor(tensor) and not fits(number, tensor.dtype):
                # Where all values of the dtype lie on one side, any of them will do for the tensor.
                found = _COMPARE[symbol](*(0 if x is tensor else x for x in (a, b)))
                return tf.fill(tensor.shape, found)
        return compared(symbol, a, b)
    if symbol in ("==", "!=") and isinstance(a, dict) and isinstance(b, dict):
        return _compare_dicts(symbol, a, b)
    if symbol not in ("is", "is not") and _are_sequences(a, b) and _has_own_meaning((a, b)):
        return _compare_sequences(symbol, a, b)
    if isinstance(a, MemberSequence) or isinstance(b, MemberSequence):
        if symbol in ("==", "!=") and range in (type(a), type(b)):
            raise _with_range()
        return of_sequences(symbol, _COMPARE[symbol], a, b)
    return _COMPARE[symbol](a, b)


def _compare_numbers_as_objects(symbol: str, a: Any, b: Any) -> Any:
    """`a is b` of two numbers, or arrays, of the member.

    Raises:
      Unsupported: Python may have made one object of equal numbers, or several.
    """
    numbers = a.shape.rank == b.shape.rank == 0
    if numbers and a.dtype == b.dtype == tf.bool:
        return tf.equal(a, b) if symbol == "is" else tf.not_equal(a, b)
    if type_of(a) is not type_of(b):
        return symbol == "is not"
    what = "numbers" if numbers else "arrays"
    raise misuse.Unsupported(
        f"two {what} are compared by `{symbol}`",
        "that asks whether they are one object, and those of members are none: Python has one "
        "object for a small integer, and others for each number, or array, that it computes.",
        "compare what they are: x == y" if numbers else "compare what they hold: (x == y).all()",
    )


def _is_no_number(value: Any, number: Any) -> bool:
    """Whether a value is a container, beside a number of the member: they are never equal."""
    if not is_tensor(number) or number.shape.rank != 0:
        return False
    kinds = (list, tuple, dict, set, frozenset, range, collections.deque, MemberSequence)
    return isinstance(value, kinds) and not isinstance(value, PartOfArray)


def _with_range() -> misuse.Unsupported:
    return misuse.Unsupported(
        "a list is compared with a range",
        "in Python they are never equal; here a range that a function is given is a list.",
        "compare lists: xs == list(range(n))",
    )


def _compare_spelled(symbol: str, a: Any, b: Any) -> Any:
    """A comparison of two texts of one of which a member has the characters."""
    if not all(map(spelling.is_text, (a, b))):
        if symbol in _SAME:
            return symbol in ("!=", "is not")
        names = " and ".join(repr(type_of(x).__name__) for x in (a, b))
        raise TypeError(f"'{symbol}' not supported between instances of {names}")
    same = {"is": "==", "is not": "!="}.get(symbol, symbol)
    return _COMPARE[same](text(a), text(b))


def _compare_maybe(symbol: str, a: Any, b: Any) -> Any:
    """A comparison of what is None for some members."""
    if symbol not in _SAME:
        return compare(symbol, *maybe_none.operands(_COMPARE[symbol], a, b))
    if symbol.startswith("is"):
        found = maybe_none.identical(a, b)
    else:
        found = maybe_none.equal(compare, a, b)
    return unary("not", found) if symbol in ("is not", "!=") else found


def _compare_references(symbol: str, a: Any, b: Any) -> Any:
    """A comparison of objects on the heap; NotImplemented where a method of the user's says it."""
    if symbol not in _SAME:
        return NotImplemented
    found = (
        reference_operations.identical(a, b)
        if symbol.startswith("is")
        else reference_operations.equal(a, b)
    )
    if found is NotImplemented:
        return found
    return unary("not", found) if symbol in ("is not", "!=") else found


def _has_own_meaning(value: Any) -> bool:
    """Whether there is something in a tuple or a list that Python would not compare rightly."""
    if isinstance(value, (tuple, list)):
        return any(map(_has_own_meaning, value))
    own = identity.equals_only_itself(value) or special.is_object(value)
    return own or holds_tensor(value)


def _are_sequences(a: Any, b: Any) -> bool:
    return any(isinstance(a, kind) and isinstance(b, kind) for kind in (tuple, list))


def _compare_dicts(symbol: str, a: dict[Any, Any], b: dict[Any, Any]) -> Any:
    if not _has_own_meaning([*a.values(), *b.values()]):
        return (a == b) == (symbol == "==")
    same: Any = a.keys() == b.keys()
    if same:
        same = _compare_sequences("==", list(a.values()), [b[key] for key in a])
    return same if symbol == "==" else unary("not", same)


def _compare_sequences(symbol: str, a: Any, b: Any) -> Any:
    """Tuples or lists: by the first elements that differ, else by their lengths."""
    if symbol in ("==", "!="):
        same: Any = len(a) == len(b)
        for left, right in zip(a, b, strict=False):
            same = tf.logical_and(same, truth(compare("==", left, right)))
        return same if symbol == "==" else tf.logical_not(same)
    found, before = list[tuple[Any, Any]](), cast(Any, False)
    for left, right in zip(a, b, strict=False):
        differ = truth(compare("!=", left, right))
        if message := reference_operations.has_no_order(symbol, left, right):
            require(tf.logical_or(before, tf.logical_not(differ)), message)
            found.append((differ, False))
        else:
            found.append((differ, truth(compare(symbol, left, right))))
        before = tf.logical_or(before, differ)
    result: Any = _COMPARE[symbol](len(a), len(b))
    for differ, holds in reversed(found):
        result = tf.where(differ, holds, result)
    return result


def _contains(container: Any, value: Any) -> Any:
    if isinstance(container, MaybeNone):
        container = maybe_none.known(container, said(operator.contains, None, 0))
    container = contents(container)
    if contains_value := special.method(container, "__contains__"):
        return truth(contains_value(value))
    if isinstance(container, MemberSequence):
        return container.contains(value)
    if any(isinstance(x, Text) for x in (container, value)) and spelling.is_text(container):
        return contains(text(container), value)
    if isinstance(container, ChosenText):
        return text_tables.mapped(operator.contains, container, value)
    if isinstance(container, str) and isinstance(value, ChosenText):
        return text_tables.is_within(value, container)
    container = container.array if isinstance(container, Buffer) else container
    if is_tensor(container):
        if container.shape.rank == 0:
            kind = type_of(container).__name__
            raise TypeError(f"argument of type '{kind}' is not iterable")
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
    return (
        identity.is_object(value)
        or holds_tensor(value)
        or isinstance(value, (Buffer, MemberSequence, Text))
    )


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
