"""What Python's builtin functions mean on the values of one member.

The frontend sends calls of the builtins in `FUNCTIONS`, and whatever is iterated over inside an
expression, here. Where no tensor takes part, Python decides.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import (
    data,
    exceptions,
    faults,
    identity,
    maybe_none,
    sharing,
    special,
    spelling,
    text_formatting,
    text_tables,
)
from pcbatch.semantics.caught import is_exception
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.iterated import elements, iterated, rows_of
from pcbatch.semantics.meanings import Meanings, gone_over
from pcbatch.semantics.misuse import refuse_text
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.none_or_value import MaybeNone, refuse
from pcbatch.semantics.numbers import decimals, integers, overflow, unsigned
from pcbatch.semantics.numbers.digits import BASES, is_integer, of_text, text_of
from pcbatch.semantics.numbers.extremes import better, of_row
from pcbatch.semantics.numbers.numeric import of_integers
from pcbatch.semantics.numbers.promotion import integer_of, marked, promote
from pcbatch.semantics.numbers.widths import Number, as_float, as_integer
from pcbatch.semantics.operators import (
    binary,
    holds_tensor,
    is_tensor,
    is_weak,
    mark_weak,
    truth,
)
from pcbatch.semantics.references import is_reference
from pcbatch.semantics.registry import call, register
from pcbatch.semantics.sorting import best, compared, in_order
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.texts import Text

__all__ = ["FUNCTIONS", "builtin", "iterated"]

_REQUIRED = object()


# --- Numbers -----------------------------------------------------------------------------------


def _absolute(value: Any) -> Any:
    value = integer_of(value) if value.dtype == tf.bool else value
    if value.dtype.is_unsigned:
        return value
    overflow.note("abs", value)
    return mark_weak(abs(value)) if is_weak(value) else abs(value)


def _to_int(value: Any) -> Any:
    """Python's `int`: as wide as what it may hold."""
    dtype = as_integer(value.dtype)
    if value.dtype == dtype:
        return value
    return mark_weak(exceptions.to_integer(int, value, value, dtype))


def _to_float(value: Any) -> Any:
    """Python's `float`: of an integer that a member has 64 bits wide."""
    if value.dtype.is_floating:
        return value
    return mark_weak(tf.cast(value, as_float(Number(value.dtype, is_weak(value)))))


def _round(value: Any, digits: int | None = None) -> Any:
    if digits is not None:
        return _round_to(value, digits)
    if value.dtype.is_integer:
        return _to_int(value)
    dtype = as_integer(value.dtype)
    return mark_weak(exceptions.to_integer(round, value, tf.round(value), dtype))


def _round_to(value: Any, digits: Any) -> Any:
    """`round` with a number of places."""
    if value.dtype.is_integer:
        if is_tensor(digits):
            raise TypeError("round() of an integer takes a static number of places")
        result = decimals.rounded_integer(value, digits)
    else:
        result = decimals.rounded(value, digits)
    return mark_weak(result) if is_weak(value) else result


_power_modulo = of_integers(pow, integers.power_modulo)


def _power(base: Any, exponent: Any, modulus: Any = None) -> Any:
    if modulus is not None:
        base = binary("%", base, modulus) if unsigned.is_unsigned(base) else base
        return _power_modulo(base, exponent, modulus)
    return binary("**", base, exponent)


def _divmod(a: Any, b: Any) -> Any:
    a, b = promote(a, b)
    b = exceptions.divisor("divmod", a, b)
    with faults.unchecked():
        return binary("//", a, b), binary("%", a, b)


def _length(value: Any) -> int:
    if not is_tensor(value):  # A container of tensors.
        return len(value)
    if value.shape.rank == 0:
        raise TypeError("a scalar tensor has no len()")
    return int(value.shape[0])


# --- Sequences ---------------------------------------------------------------------------------


def _sum(values: Any, start: Any = 0) -> Any:
    if is_tensor(values):
        numbers = integer_of(values) if values.dtype == tf.bool else values
        return binary("+", marked(tf.reduce_sum(numbers, axis=0), is_weak(numbers)), start)
    return functools.reduce(lambda a, b: binary("+", a, b), iter(values), start)


def _any(values: Any, deciding: bool = True) -> Any:
    """Whether an element is true; with `deciding=False` whether all are, the other way round."""
    reduce, join = (tf.reduce_any, tf.logical_or) if deciding else (tf.reduce_all, tf.logical_and)
    if is_tensor(values) and values.shape.rank == 1:
        return reduce(values if values.dtype == tf.bool else tf.not_equal(values, 0))
    result: Any = not deciding
    for value in rows_of(values):
        holds = truth(value)
        if is_tensor(holds):
            result = join(result, holds) if is_tensor(result) else holds
        elif holds == deciding:
            return deciding
    return result


_all = functools.partial(_any, deciding=False)


def _extremum(name: str, *args: Any, key: Any = None, default: Any = _REQUIRED) -> Any:
    """`min` or `max`: of equal elements the first, and NaN is neither less nor greater."""
    values: Any = args[0] if len(args) == 1 else None
    if key is None and is_tensor(values) and values.shape.rank == 1 and values.shape[0]:
        result = of_row(name, values)
        return mark_weak(result) if is_weak(values) else result
    items = list(rows_of(args[0]) if len(args) == 1 else args)
    items = _with_texts(items) if key is None else items
    if not items and default is not _REQUIRED:
        return default
    if not items:
        return getattr(builtins, name)(items)
    if key is None and any(isinstance(i, (tuple, list)) or special.is_object(i) for i in items):
        return best(name, items, lambda item: item)
    step = functools.partial(better, name)
    return functools.reduce(step, items) if key is None else best(name, items, key)


def _sorted(values: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    items = list(rows_of(values))
    return in_order(_with_texts(items) if key is None else items, key, reverse)


def _with_texts(items: list[Any]) -> list[Any]:
    """Elements in which texts that differ are told apart by the member: `(n, "al")`."""
    if not all(isinstance(item, tuple) for item in items) or len(set(map(len, items))) != 1:
        return items
    columns = list(zip(*items, strict=True))
    texts = [all(type(x) is str for x in column) for column in columns]
    if not any(texts) or not any(is_tensor(x) for item in items for x in item):
        return items
    return list(Meanings.with_texts(items))


_OF_TENSORS: dict[Callable[..., Any], Callable[..., Any]] = {
    abs: _absolute, int: _to_int, float: _to_float, bool: truth, len: _length, round: _round,
    pow: _power, divmod: _divmod,
}  # fmt: skip
_OF_SEQUENCES: dict[Callable[..., Any], Callable[..., Any]] = {
    sum: _sum, any: _any, all: _all, sorted: _sorted,
    min: functools.partial(_extremum, "min"), max: functools.partial(_extremum, "max"),
}  # fmt: skip
_OF_ITERABLES: tuple[Any, ...] = (list, tuple, enumerate, zip, map, filter, reversed, iter)

_TEXTS = (str, repr, ascii, format, print, bin, hex, oct, chr, ord, hash, id)
"""Builtins that ask for the text of a value, for its digits, or which object it is."""

FUNCTIONS = frozenset(f.__name__ for f in (*_OF_TENSORS, *_OF_SEQUENCES, *_OF_ITERABLES, *_TEXTS))
"""The builtins that may meet tensors."""


def _of_chosen(function: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
    """What a builtin gives of a text that depends on the member."""
    if function in _OF_ITERABLES or (len(args) == 1 and function in _OF_SEQUENCES):
        return Meanings.builtin(function, args, kwargs)
    return text_tables.builtin(function, *args)


def _of_spelled(function: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
    """What a builtin gives of a text of which a member has the characters."""
    if function is format:
        return text_formatting.shown(args[0], "", *args[1:])
    if function is repr:
        return text_formatting.representation(*args)
    if (function in _OF_ITERABLES or function is sorted) and want_spelled():
        return Meanings.builtin(function, args, kwargs)
    if function in (min, max) and len(args) > 1 and not kwargs and all(map(spelling.is_text, args)):
        return spelling.extremum(function is min, args)
    if function in (min, max) and want_spelled():
        return Meanings.builtin(function, args, kwargs)
    return of_text(function, *args)


def _of_maybe_none(function: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
    """What a builtin gives of arguments one of which may be None."""
    several = (function in (min, max) and len(args) > 1) or function in maybe_none.OF_ONE
    if kwargs or not (several or function in _OF_TENSORS):
        return refuse()
    return builtin(function, *maybe_none.taken(function, args))


def builtin(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call one of the builtins in `FUNCTIONS`, which may meet tensors."""
    if function is not bool and any(isinstance(a, MaybeNone) for a in args):
        return _of_maybe_none(function, args, kwargs)
    if function is not bool and any(isinstance(a, ChosenText) for a in args):
        return _of_chosen(function, args, kwargs)
    if function is str and len(args) == 1 and (said := text_formatting.users_text(args[0])):
        return said()
    if args and (method := special.of_builtin(function, args[0])):
        return method(*args[1:], **kwargs)
    if function is bool and len(args) == 1 and not kwargs:
        return sharing.computed(truth(*args), args)
    if function not in _OF_OBJECTS:
        args = tuple(map(gone_over, args))
    if "key" in kwargs:
        kwargs["key"] = compared(_on_tensors(kwargs["key"]))
    if any(isinstance(a, MemberSequence) for a in args):
        return Meanings.builtin(function, args, kwargs)
    if function is map:
        args = (*map(_on_tensors, args[:1]), *args[1:])
    if function is filter and args:
        keeps = _on_tensors(args[0])
        args = (lambda x: truth(x if keeps is None else keeps(x)), *args[1:])
    if any(isinstance(a, Text) for a in args):
        return _of_spelled(function, args, kwargs)
    if function in BASES and len(args) == 1 and is_integer(args[0]):
        return text_of(function, args[0])
    if function is format and args and is_tensor(args[0]):
        return text_formatting.shown(args[0], "", *args[1:])
    if function is str and len(args) == 1 and is_exception(args[0]):
        return text_formatting.text_of(args[0])
    if function in (str, repr) and len(args) == 1 and text_formatting.is_of_member(args[0]):
        return text_formatting.representation(args[0])
    if function is chr and len(args) == 1 and is_integer(args[0]):
        return spelling.character(args[0])
    if function in (hash, id) and args:
        identity.refuse_number(function.__name__, args[0])
    if any(map(is_reference, args)) and function in _OF_TENSORS and function is not bool:
        return function(*args, **kwargs)  # which says that it takes no such object
    if function in _TEXTS:
        refuse_text(function.__name__, *args, *kwargs.values())
        return function(*args, **kwargs)
    if function not in _OF_TENSORS:
        args = tuple(map(elements, args))
    if function in _OF_ITERABLES:
        return function(*(rows_of(a) if is_tensor(a) else a for a in args), **kwargs)
    if function in _OF_SEQUENCES and isinstance(args[0] if args else (), Iterator):
        return _OF_SEQUENCES[function](*args, **kwargs)
    flat = [v for a in args for v in (a if isinstance(a, (tuple, list)) else (a,))]
    named = any(map(is_tensor, kwargs.values()))
    asks = function in (any, all)  # of each element its truth
    plain = not named and (data.is_plain(flat) or not (asks or any(map(holds_tensor, flat))))
    plain = plain and not any(map(special.holds_object, flat))
    if function in _OF_TENSORS:
        result = function(*args, **kwargs) if plain else _OF_TENSORS[function](*args, **kwargs)
        return sharing.computed(result, args)
    # A key, or an object that is gone over, may bring tensors in.
    sure = all(isinstance(a, (tuple, list)) or is_weak(a) for a in args) and "key" not in kwargs
    return function(*args, **kwargs) if plain and sure else _OF_SEQUENCES[function](*args, **kwargs)


_OF_OBJECTS = (isinstance, type, id, hash, getattr, hasattr)
"""Builtins that ask what an object is, not for its elements."""


def _on_tensors(function: Any) -> Any:
    """What a builtin that is handed over, like `key=abs`, means on tensors."""
    return functools.partial(call, function) if callable(function) else function


def formatted(value: Any, conversion: str = "", spec: Any = "") -> Any:
    """Return what an f-string shows of a value."""
    return text_formatting.shown(value, conversion, spec)


def f_string(*parts: Any) -> Any:
    """Return the text that the parts of an f-string make."""
    return text_formatting.f_string(*parts)


def specification(*parts: Any) -> Any:
    """Return what the parts of a format specification say."""
    return text_formatting.specification(*parts)


_CALLED: tuple[Any, ...] = (*_OF_TENSORS, *_OF_SEQUENCES, *_TEXTS)
for _function in _CALLED:  # a variable may mean them
    register(_function, functools.partial(builtin, _function), always=True)
