"""NumPy's functions of each element (ufuncs).

They know no exceptions: the logarithm of zero is -inf, the root of -1 is NaN, an integer divided by
zero is 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import faults
from pcbatch.semantics.arrays.operands import (
    array,
    as_floats,
    counted,
    marked,
    static_integer,
    tensor,
    unified,
)
from pcbatch.semantics.numbers import bits, elementary
from pcbatch.semantics.numbers.division import floor_divided, remainder
from pcbatch.semantics.numbers.promotion import integer_of, quotient
from pcbatch.semantics.numbers.widths import kind

Meaning = Callable[..., Any]


def quiet(function: Meaning) -> Meaning:
    """A function that stops no member, whatever it is given."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with faults.unchecked():
            return function(*args, **kwargs)

    return run


# --- Functions of floats -------------------------------------------------------------------------


def _of_floats(meaning: Meaning, of_complex: Meaning | None = None) -> Meaning:
    """A function of floats, of integers as floats."""

    def run(*values: Any) -> Any:
        tensors, weak = as_floats(values)
        if tensors[0].dtype.is_complex:
            if of_complex is None:
                raise TypeError("this function of NumPy takes real numbers, not complex ones")
            return of_complex(*tensors)
        return marked(meaning(*tensors), weak)

    return quiet(run)


def _degrees(x: Any) -> Any:
    return x * tf.constant(180 / math.pi, x.dtype)


def _radians(x: Any) -> Any:
    return x * tf.constant(math.pi / 180, x.dtype)


def _logaddexp(x: Any, y: Any) -> Any:
    low, high = _lesser(x, y), _greater(x, y)
    same = tf.equal(x, y)  # of two infinities the difference is none
    rest = tf.math.log1p(tf.exp(tf.where(same, tf.zeros_like(low), low - high)))
    return high + rest


def _heaviside(x: Any, at_zero: Any) -> Any:
    step = tf.where(x > 0, tf.ones_like(x), tf.zeros_like(x))
    return tf.where(tf.math.is_nan(x), x, tf.where(tf.equal(x, 0), at_zero, step))


def sinc(x: Any) -> Any:
    """`np.sinc`, of integers in 64 bits."""
    given = tensor(x)
    whole = given.dtype.is_integer or given.dtype == tf.bool
    (x,), weak = as_floats([tf.cast(given, tf.float64) if whole else given])
    angle = x * tf.constant(math.pi, x.dtype)
    zero = tf.equal(x, 0)
    safe = tf.where(zero, tf.ones_like(angle), angle)
    return marked(tf.where(zero, tf.ones_like(x), tf.sin(safe) / safe), weak)


def _library(function: Meaning) -> Meaning:
    return elementary.ONE_OR_MORE[function]


_OF_FLOATS: dict[str, Meaning] = {
    "exp2": _library(math.exp2), "expm1": _library(math.expm1), "log2": _library(math.log2),
    "log10": _library(math.log10), "log1p": _library(math.log1p), "cbrt": _library(math.cbrt),
    "arctan2": tf.atan2, "hypot": elementary.hypot, "copysign": bits.copysign,
    "nextafter": bits.nextafter, "degrees": _degrees, "rad2deg": _degrees, "radians": _radians,
    "deg2rad": _radians, "logaddexp": _logaddexp, "heaviside": _heaviside,
    "float_power": _library(math.pow), "fabs": tf.abs, "rint": tf.math.rint,
    "signbit": bits.negative,
}  # fmt: skip
_OF_COMPLEX_TOO: dict[str, Meaning] = {
    "sqrt": tf.sqrt, "exp": tf.exp, "log": tf.math.log, "sin": tf.sin, "cos": tf.cos,
    "tan": tf.tan, "sinh": tf.sinh, "cosh": tf.cosh, "tanh": tf.tanh, "arcsin": tf.asin,
    "arccos": tf.acos, "arctan": tf.atan, "arcsinh": tf.asinh, "arccosh": tf.acosh,
    "arctanh": tf.atanh,
}  # fmt: skip


# --- Functions that keep the dtype ---------------------------------------------------------------


def _of_numbers(meaning: Meaning) -> Meaning:
    """A function of numbers of one dtype, which the result has, too."""

    def run(*values: Any) -> Any:
        tensors, weak = unified([array(value) for value in values])
        return marked(meaning(*tensors), weak)

    return quiet(run)


def _by_kind(of_floats: Meaning, of_integers: Meaning, of_bools: Meaning) -> Meaning:
    """A function that means something else for each kind of numbers."""

    def run(*tensors: Any) -> Any:
        level = kind(tensors[0].dtype)
        return (of_bools, of_integers, of_floats, of_floats)[level](*tensors)

    return _of_numbers(run)


def no_bools(name: str) -> Meaning:
    def refused(*_: Any) -> Any:
        raise TypeError(f"np.{name} of truth values: NumPy refuses it, too; make numbers of them")

    return refused


def _same(x: Any) -> Any:
    return x


def _sign(x: Any) -> Any:
    one, zero = tf.ones_like(x), tf.zeros_like(x)
    if x.dtype.is_complex:
        size = tf.cast(tf.abs(x), x.dtype)
        return tf.where(tf.equal(x, zero), zero, x / tf.where(tf.equal(x, zero), one, size))
    signs = tf.where(x > zero, one, tf.where(tf.equal(x, zero), zero, x))
    return signs if x.dtype.is_unsigned else tf.where(x < zero, -one, signs)


def _towards_zero(x: Any) -> Any:
    return bits.copysign(tf.floor(tf.abs(x)), x)


def _greater(a: Any, b: Any) -> Any:
    return tf.where((a >= b) | tf.math.is_nan(a), a, b)


def _lesser(a: Any, b: Any) -> Any:
    return tf.where((a <= b) | tf.math.is_nan(a), a, b)


def _fmax(a: Any, b: Any) -> Any:
    return tf.where((a >= b) | tf.math.is_nan(b), a, b)


def _fmin(a: Any, b: Any) -> Any:
    return tf.where((a <= b) | tf.math.is_nan(b), a, b)


def or_one(b: Any) -> Any:
    return tf.where(tf.equal(b, 0), tf.ones_like(b), b)


def _by_zero(b: Any, result: Any) -> Any:
    """Of integers NumPy gives zero."""
    return tf.where(tf.equal(b, 0), tf.zeros_like(result), result)


def _floor_divide(a: Any, b: Any) -> Any:
    return _by_zero(b, a // or_one(b))


def _mod(a: Any, b: Any) -> Any:
    return _by_zero(b, a % or_one(b))


def _truncated_mod(a: Any, b: Any) -> Any:
    return _by_zero(b, tf.truncatemod(a, or_one(b)))


def _reciprocal(x: Any) -> Any:
    return _by_zero(x, tf.truncatediv(tf.ones_like(x), or_one(x)))


def _integer_power(a: Any, b: Any) -> Any:
    if not b.dtype.is_unsigned:
        text = "ValueError: Integers to negative integer powers are not allowed."
        faults.require(b >= 0, text)
        b = tf.where(b < 0, tf.zeros_like(b), b)
    return tf.pow(a, b)


def _power(base: Any, exponent: Any) -> Any:
    a, b = (array(value) for value in (base, exponent))
    (x, y), weak = unified([integer_of(v) if _is_bool(v) else v for v in (a, b)])
    if x.dtype.is_complex:
        return tf.pow(x, y)
    if x.dtype.is_integer:
        return marked(_integer_power(x, y), weak)
    with faults.unchecked():
        return marked(elementary.power(x, y), weak)


def _is_bool(value: Any) -> bool:
    return kind(counted([value]).dtype) == 0


_ADD, _MULTIPLY = (
    _by_kind(f, f, g) for f, g in ((tf.add, tf.logical_or), (tf.multiply, tf.logical_and))
)
_BY_KIND: dict[str, Meaning] = {
    "add": _ADD, "multiply": _MULTIPLY,
    "subtract": _by_kind(tf.subtract, tf.subtract, no_bools("subtract")),
    "negative": _by_kind(tf.negative, tf.negative, no_bools("negative")),
    "positive": _by_kind(_same, _same, no_bools("positive")),
    "absolute": _by_kind(tf.abs, tf.abs, _same),
    "sign": _by_kind(_sign, _sign, no_bools("sign")),
    "square": _by_kind(tf.square, tf.square, tf.logical_and),
    "conjugate": _by_kind(tf.math.conj, _same, _same),
    "floor": _by_kind(tf.floor, _same, _same), "ceil": _by_kind(tf.math.ceil, _same, _same),
    "trunc": _by_kind(_towards_zero, _same, _same), "fix": _by_kind(_towards_zero, _same, _same),
    "maximum": _by_kind(_greater, tf.maximum, tf.logical_or),
    "minimum": _by_kind(_lesser, tf.minimum, tf.logical_and),
    "fmax": _by_kind(_fmax, tf.maximum, tf.logical_or),
    "fmin": _by_kind(_fmin, tf.minimum, tf.logical_and),
    "floor_divide": _by_kind(floor_divided, _floor_divide, no_bools("floor_divide")),
    "remainder": _by_kind(remainder, _mod, no_bools("remainder")),
    "fmod": _by_kind(_library(math.fmod), _truncated_mod, no_bools("fmod")),
    "reciprocal": _by_kind(tf.math.reciprocal, _reciprocal, no_bools("reciprocal")),
}  # fmt: skip


@quiet
def _divide(a: Any, b: Any) -> Any:
    a, b = array(a), array(b)
    weak = counted([a, b]).weak
    x, y = quotient(a, b)
    return marked(tf.truediv(x, y), weak)


def _divmod(a: Any, b: Any) -> Any:
    return _BY_KIND["floor_divide"](a, b), _BY_KIND["remainder"](a, b)


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """`np.clip`: NaN stays, and of bounds that cross the upper one wins."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    if low is not None:
        a = _BY_KIND["maximum"](a, low)
    return tensor(a) if high is None else _BY_KIND["minimum"](a, high)


def rounded(a: Any, decimals: Any = 0) -> Any:
    """`np.round`: times and through a power of ten, as NumPy does; half to even."""
    places = static_integer(decimals, "the number of decimals")
    x = tensor(a)
    if x.dtype == tf.bool or (x.dtype.is_integer and places >= 0):
        return x
    if x.dtype.is_complex:
        return tf.complex(*(rounded(p, places) for p in (tf.math.real(x), tf.math.imag(x))))
    if x.dtype.is_integer:
        raise TypeError("np.round of integers takes a number of decimals that is not negative")
    scale = tf.constant(10.0 ** abs(places), x.dtype)
    whole = tf.math.rint(x * scale if places > 0 else x / scale)
    result = whole / scale if places > 0 else whole * scale
    weak = counted([array(a)]).weak
    return marked(tf.where(tf.math.is_finite(x), result, x) if places else whole, weak)


MEANINGS: dict[str, Meaning] = {
    **{name: _of_floats(f) for name, f in _OF_FLOATS.items()},
    **{name: _of_floats(f, f) for name, f in _OF_COMPLEX_TOO.items()},
    **_BY_KIND,
    "power": _power, "divide": _divide, "divmod": _divmod, "clip": clip, "round": rounded,
    "around": rounded, "sinc": sinc,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
