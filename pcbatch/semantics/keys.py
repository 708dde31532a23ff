"""Which of the known keys of a set or a dict a member's value equals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics.chosen_texts import ChosenText, can_be_equal
from pcbatch.semantics.constants import code_of
from pcbatch.semantics.faults import require
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.places import first_of
from pcbatch.semantics.pytree import parts, standing, stands_for_pythons
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.references import place_of as place_on_heap
from pcbatch.semantics.texts import Text, rows_of
from pcbatch.semantics.types import is_tensor, type_of


def varies(value: Any) -> bool:
    """Whether a key is a member's number, text or object, or a tuple in which there is one."""
    if isinstance(value, tuple):
        return any(map(varies, value))
    if stands_for_pythons(type(value)):
        return any(map(varies, parts(value) or ()))
    return is_tensor(value) or isinstance(value, (ChosenText, Text)) or is_reference(value)


def matches(keys: Sequence[Any], value: Any) -> tf.Tensor:
    """bool[K]: which of `K` known keys a value equals, as Python's `==` says.

    Raises:
      TypeError: the value cannot be a key.
    """
    possible, conditions = _compared(keys, value)
    found = tf.constant(possible)
    for condition in conditions:
        found &= condition
    return found


def place_of(keys: Sequence[Any], value: Any, text: str) -> tf.Tensor:
    """The place of a value among known keys; a member whose value is none of them stops.

    Args:
      keys: the keys, of which at most one equals the value.
      value: of the member.
      text: the user's text of it.
    """
    found = matches(keys, value)
    require(tf.reduce_any(found), missing(value, text))
    return first_of(found)


class Missing(KeyError):
    """Nothing has been put into a dict so far.

    What reads a value of it is not gone on with until the types of values are known.
    """

    def __str__(self) -> str:
        return str(self.args[0]).removeprefix("KeyError: ")


Missing.__name__ = KeyError.__name__


def missing(key: Any, text: str = "") -> str:
    """What Python says of a key that is not there."""
    return f"KeyError: {shown(key, text)}"


def shown(value: Any, text: str = "") -> str:
    """What a message shows of a value: the user's text of it, where it is a member's."""
    if _is_known(value):
        return repr(value)
    return f"{{{text or '...'}}}"


def _is_known(value: Any) -> bool:
    return type(value) in (int, float, bool, complex, str, type(None)) or (
        type(value) is tuple and all(map(_is_known, value))
    )


def check_key(value: Any) -> None:
    """Refuse what Python takes for no key.

    Raises:
      TypeError: it can be changed in place.
    """
    if isinstance(value, tuple):
        for part in value:
            check_key(part)
        return
    if isinstance(value, MaybeNone):
        return check_key(value.value)
    kind = type_of(value)
    if getattr(kind, "__hash__", None) is None:
        name = "numpy.ndarray" if is_tensor(value) else kind.__name__
        raise TypeError(f"unhashable type: '{name}'")


_Compared = tuple[np.ndarray, list[tf.Tensor]]
"""Which keys may be equal, as far as is known, and the conditions under which they are."""


def _compared(keys: Sequence[Any], value: Any) -> _Compared:
    if isinstance(value, tuple):
        return _tuples(keys, value)
    if isinstance(value, ChosenText):
        return _texts(keys, value)
    if stands_for_pythons(type(value)):
        return _ratios(keys, value)
    if isinstance(value, Text):
        return _spelled(keys, value)
    check_key(value)
    if is_reference(value):
        return np.array([key is None for key in keys], bool), [tf.less(place_on_heap(value), 0)]
    if not is_tensor(value):
        return np.array([bool(key == value) for key in keys], bool), []
    return _numbers(keys, tf.cast(value, tf.int32) if value.dtype == tf.bool else value)


def _texts(keys: Sequence[Any], value: ChosenText) -> _Compared:
    known = [can_be_equal(key, value) for key in keys]
    codes = [code_of(key) if k else np.int64(-1) for key, k in zip(keys, known, strict=True)]
    return np.array(known, bool), [tf.equal(value.code, tf.constant(codes, tf.int64))]


def _spelled(keys: Sequence[Any], value: Text) -> _Compared:
    known = np.array([type(key) is str for key in keys], bool)
    found = [key if k else "" for key, k in zip(keys, known, strict=True)]
    rows, lengths = rows_of(found)
    size = min(rows.shape[1], value.codes.shape[0])
    same = tf.reduce_all(tf.equal(rows[:, :size], value.codes[:size]), 1)
    return known, [same & tf.equal(lengths, value.length)]


def _tuples(keys: Sequence[Any], value: tuple[Any, ...]) -> _Compared:
    possible = np.array([isinstance(k, tuple) and len(k) == len(value) for k in keys], bool)
    conditions: list[tf.Tensor] = []
    for place, part in enumerate(value):
        parts = [key[place] if fits else None for key, fits in zip(keys, possible, strict=True)]
        own, more = _compared(parts, part)
        possible &= own
        conditions += more
    return possible, conditions


def _ratios(keys: Sequence[Any], value: Any) -> _Compared:
    """Which keys equal a fraction: others, and numbers."""
    return _tuples(list(map(_ratio, keys)), tuple(parts(value) or ()))


def _ratio(key: Any) -> Any:
    """The numerator and the denominator of a known number; None of anything else."""
    if stands_for_pythons(type(standing(key))):
        return tuple(parts(key) or ())
    number = key.item() if isinstance(key, np.generic) else key
    if not isinstance(number, (int, float)) or number in (math.inf, -math.inf) or number != number:
        return None
    return number.as_integer_ratio()


def _of_ratio(key: Any) -> Any:
    """A known fraction as the number that equals it, if there is one; another key as it is."""
    if not stands_for_pythons(type(standing(key))):
        return key
    top, bottom = tuple[Any, ...](parts(key) or ())
    if bottom == 1:
        return top
    return top / bottom if (top / bottom).as_integer_ratio() == (top, bottom) else None


def _numbers(keys: Sequence[Any], value: tf.Tensor) -> _Compared:
    own = [_as(key, value.dtype) for key in keys]
    possible = np.array([number is not None for number in own], bool)
    row = np.array([0 if number is None else number for number in own], value.dtype.as_numpy_dtype)
    return possible, [tf.equal(value, tf.constant(row))]


def _as(key: Any, dtype: tf.DType) -> Any:
    """The number of a dtype that a key equals; None where there is none."""
    key = _of_ratio(key)
    if not isinstance(key, (bool, int, float, complex, np.generic)):
        return None
    kind: Callable[[Any], Any] = int if dtype.is_integer else dtype.as_numpy_dtype
    try:
        number = kind(key)
    except (TypeError, ValueError, OverflowError):
        return None
    if not dtype.is_integer:
        return number
    return number if number == key and dtype.min <= number <= dtype.max else None


def first_in_rows(found: tf.Tensor) -> tf.Tensor:
    """The first place of each row that holds; 0 where none does, or where there are none."""
    if found.shape[1] == 0:
        return tf.zeros(found.shape[:1], tf.int32)
    return tf.argmax(tf.cast(found, tf.int32), axis=1, output_type=tf.int32)
