"""The functions of `math` and `cmath` on a member's values, and the attributes of numbers."""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import (
    arrays,
    builtin_functions,
    chosen_texts,
    identity,
    maybe_none,
    misuse,
    reference_operations,
    special,
    text_tables,
)
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers import bits, elementary, integers
from pcbatch.semantics.numbers.exact_sums import exact_sum
from pcbatch.semantics.numbers.numeric import (
    Meaning,
    check_scalar,
    floats,
    integer,
    label,
    marked,
    of_floats,
    of_integers,
)
from pcbatch.semantics.numbers.widths import cast_exactly, constant
from pcbatch.semantics.operators import binary, is_tensor, is_weak, mark_weak
from pcbatch.semantics.references import check_there, is_reference
from pcbatch.semantics.static_values import MemberSequence
from pcbatch.semantics.types import type_of

# --- Several results, sequences, integers of floats ----------------------------------------------


def _to_integer(function: Callable[..., Any], meaning: Meaning) -> Meaning:
    """`math.floor`, `ceil` and `trunc`: integers."""

    @functools.wraps(function)
    def run(value: Any) -> Any:
        check_scalar(label(function), value)
        if not value.dtype.is_floating:
            return builtin_functions.builtin(int, value)
        whole = meaning(value)
        return builtin_functions.builtin(int, mark_weak(whole) if is_weak(value) else whole)

    return run


def _towards_zero(x: Any) -> Any:
    return tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


def modf(value: Any) -> tuple[Any, Any]:
    """`math.modf`: the part behind the point, and the one before it."""
    (x,) = floats("math.modf", [value])
    whole = bits.copysign(_towards_zero(x), x)
    infinite = tf.math.is_inf(x)
    part = bits.copysign(tf.where(infinite, tf.zeros_like(x), x - whole), x)
    return marked([value], part), marked([value], whole)


def frexp(value: Any) -> tuple[Any, Any]:
    """`math.frexp`."""
    mantissa, exponent = bits.frexp(*floats("math.frexp", [value]))
    return marked([value], mantissa), mark_weak(exponent)


def ldexp(value: Any, exponent: Any) -> Any:
    """`math.ldexp`."""
    (x,) = floats("math.ldexp", [value]) if is_tensor(value) else (constant(value, tf.float64),)
    power = integer("math.ldexp", exponent)
    power = tf.cast(tf.clip_by_value(tf.cast(power, tf.int64), -(2**20), 2**20), tf.int32)
    result = bits.ldexp(x, power)
    require(tf.math.is_finite(result) | ~tf.math.is_finite(x), elementary.RANGE)
    return marked([value], result)


def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    """`math.isclose`."""
    a, b, relative, absolute = floats("math.isclose", [a, b, rel_tol, abs_tol])
    require((relative >= 0) & (absolute >= 0), "ValueError: tolerances must be non-negative")
    difference = tf.abs(b - a)
    near = (difference <= tf.abs(relative * b)) | (difference <= tf.abs(relative * a))
    finite = ~tf.math.is_inf(a) & ~tf.math.is_inf(b)
    return tf.equal(a, b) | (finite & (near | (difference <= absolute)))


def _items(values: Any) -> list[Any]:
    return list(iterated(values))


def prod(values: Any, *, start: Any = 1) -> Any:
    """`math.prod`, from left to right."""
    return functools.reduce(functools.partial(binary, "*"), _items(values), start)


def fsum(values: Any) -> Any:
    """`math.fsum`."""
    if isinstance(values, MemberSequence):
        return Meanings.builtin(math.fsum, (values,), {})
    items = _items(values)
    if not any(map(is_tensor, items)):
        return math.fsum(items)
    return marked(items, exact_sum(tf.stack(floats("math.fsum", items))))


def dist(p: Any, q: Any) -> Any:
    """`math.dist`."""
    left, right = _items(p), _items(q)
    if len(left) != len(right):
        raise ValueError("both points must have the same number of dimensions")
    return hypot(*(binary("-", a, b) for a, b in zip(left, right, strict=True)))


def sumprod(p: Any, q: Any) -> Any:
    """`math.sumprod`."""
    pairs = zip(_items(p), _items(q), strict=True)
    return functools.reduce(
        functools.partial(binary, "+"), [binary("*", a, b) for a, b in pairs], 0
    )


def hypot(*values: Any) -> Any:
    """`math.hypot`; without tensors Python's own."""
    if not any(map(is_tensor, values)):
        return math.hypot(*values)
    return of_floats(math.hypot, elementary.hypot)(*values)


def common_divisor(function: Callable[..., Any], meaning: Meaning) -> Meaning:
    """Return `math.gcd` or `math.lcm`."""
    inner = of_integers(function, meaning)
    return lambda *values: inner(*values) if values else function()


# --- Complex numbers -----------------------------------------------------------------------------


def _complex(value: Any, args: Sequence[Any]) -> Any:
    tensors = [a.dtype for a in args if is_tensor(a)]
    narrow = all(t in (tf.float32, tf.complex64, tf.float16, tf.bfloat16) for t in tensors)
    return cast_exactly(value, tf.complex64 if narrow else tf.complex128)


def of_complex(function: Callable[..., Any], meaning: Meaning) -> Meaning:
    """Return what a function of `cmath` is on a member's numbers."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        for value in args:
            check_scalar(label(function), value)
        return meaning(*(_complex(value, args) for value in args))

    return run


def to_complex(real: Any = 0.0, imag: Any = None) -> Any:
    """`complex(real, imag)`; without tensors Python's own."""
    args = [real] if imag is None else [real, imag]
    if not any(map(is_tensor, args)):
        return complex(*args)
    for value in args:
        check_scalar("complex", value)
    z = _complex(real, args)
    if imag is None:
        return z
    i = _complex(imag, args)
    return tf.complex(tf.math.real(z) - tf.math.imag(i), tf.math.imag(z) + tf.math.real(i))


def _phase(z: Any) -> Any:
    return tf.atan2(tf.math.imag(z), tf.math.real(z))


def _rect(r: Any, phi: Any) -> Any:
    r, phi = floats("cmath.rect", [r, phi])
    return tf.complex(r * tf.cos(phi), r * tf.sin(phi))


def _complex_log(z: Any, base: Any = None) -> Any:
    return tf.math.log(z) if base is None else tf.math.log(z) / tf.math.log(base)


def _each_part(test: Callable[[Any], Any], join: Callable[..., Any]) -> Meaning:
    return lambda z: join(test(tf.math.real(z)), test(tf.math.imag(z)))


_OF_COMPLEX: dict[Callable[..., Any], Meaning] = {
    cmath.sqrt: tf.sqrt, cmath.exp: tf.exp, cmath.log: _complex_log,
    cmath.log10: lambda z: tf.math.log(z) / cast_exactly(math.log(10), z.dtype),
    cmath.sin: tf.sin, cmath.cos: tf.cos, cmath.tan: tf.tan,
    cmath.sinh: tf.sinh, cmath.cosh: tf.cosh, cmath.tanh: tf.tanh,
    cmath.phase: _phase, cmath.polar: lambda z: (tf.abs(z), _phase(z)),
    cmath.isnan: _each_part(tf.math.is_nan, tf.logical_or),
    cmath.isinf: _each_part(tf.math.is_inf, tf.logical_or),
    cmath.isfinite: _each_part(tf.math.is_finite, tf.logical_and),
}  # fmt: skip

_OF_INTEGERS: dict[Callable[..., Any], Meaning] = {
    math.isqrt: integers.isqrt, math.factorial: integers.factorial,
    math.perm: integers.perm, math.comb: integers.comb,
}  # fmt: skip

MEANINGS: dict[Callable[..., Any], Meaning] = {
    **{function: of_floats(function, f) for function, f in elementary.ONE_OR_MORE.items()},
    **{function: of_integers(function, f) for function, f in _OF_INTEGERS.items()},
    **{function: of_complex(function, f) for function, f in _OF_COMPLEX.items()},
    math.gcd: common_divisor(math.gcd, integers.gcd),
    math.lcm: common_divisor(math.lcm, integers.lcm),
    math.floor: _to_integer(math.floor, tf.floor), math.ceil: _to_integer(math.ceil, tf.math.ceil),
    math.trunc: _to_integer(math.trunc, _towards_zero),
    math.modf: modf, math.frexp: frexp, math.ldexp: ldexp, math.isclose: isclose,
    math.prod: prod, math.fsum: fsum, math.dist: dist, math.hypot: hypot, cmath.rect: _rect,
    complex: to_complex,
}  # fmt: skip
"""By the function of Python's library."""

if hasattr(math, "sumprod"):  # since Python 3.12
    MEANINGS[math.sumprod] = sumprod


# --- Attributes of numbers -----------------------------------------------------------------------


def _is_integer(x: Any) -> Any:
    return tf.equal(x, tf.floor(x)) & tf.math.is_finite(x)


def _same(x: Any) -> Any:
    return x


def _constant(number: Any) -> Meaning:
    return lambda x: number


def _weak(meaning: Meaning) -> Meaning:
    return lambda x: mark_weak(meaning(x))


_OF_KINDS: dict[type, dict[str, Meaning]] = {
    int: {"real": _same, "numerator": _same, "imag": _constant(0), "denominator": _constant(1)},
    float: {"real": _same, "imag": _constant(0.0)},
    complex: {"real": tf.math.real, "imag": tf.math.imag},
}
_METHODS: dict[type, dict[str, Meaning]] = {
    int: {
        "bit_length": _weak(integers.bit_length), "bit_count": _weak(integers.bit_count),
        "conjugate": _same, "is_integer": _constant(True),
    },
    float: {"is_integer": _is_integer, "conjugate": _same},
    complex: {"conjugate": tf.math.conj},
}  # fmt: skip
_OF_KINDS[bool], _METHODS[bool] = _OF_KINDS[int], _METHODS[int]

_OPERATORS = frozenset(
    name
    for kind in (int, float, complex, list)
    for name in vars(kind)
    if name.startswith("__") and callable(getattr(kind, name))
)
"""The methods behind operators and functions of Python."""
ATTRIBUTES = arrays.NAMES | frozenset(
    name for kind in (_OF_KINDS, _METHODS) for of in kind.values() for name in of
)
"""What numbers and arrays have and tensors do not."""


def attribute(value: Any, name: str) -> Any:
    """Return `value.name`.

    Raises:
      AttributeError: a number of that kind has no such attribute.
      Unsupported: it is the method behind an operator.
    """
    if isinstance(value, MaybeNone):
        value = maybe_none.attributed(value, name)
    if is_reference(value) and name == "__class__":
        return reference_operations.type_of(value)
    if is_reference(value) and (name.startswith("__") or special.is_property(value, name)):
        check_there(value, name)  # which other attributes do themselves
    if isinstance(value, ChosenText) and (value.kind is str or text_tables.has_method(value, name)):
        return getattr(value, name)
    if isinstance(value, ChosenText):
        return Meanings.table(chosen_texts.attributes(value, name), (name,), False)[value]
    if not is_tensor(value):
        by_name = name == "__dict__" and identity.is_object(value)
        return identity.Attributes.of(value) if by_name else special.attribute(value, name)
    if name in _OPERATORS:
        raise misuse.Unsupported(
            f"`{name}` of a member's value",
            "it would be the method of TensorFlow's arrays, which is not that of Python's numbers.",
            "write the operator or the function that calls it, e.g. n + 3 or abs(n)",
        )
    if name not in ATTRIBUTES:
        misuse.check_method(name)
        return getattr(value, name)
    kind = type_of(value)
    methods, of_kind = _METHODS.get(kind, {}), _OF_KINDS.get(kind, {})
    if name in arrays.NAMES and name not in {**methods, **of_kind}:
        return arrays.attribute(value, name)  # a number may be one of NumPy's
    if value.dtype == tf.bool:
        value = mark_weak(tf.cast(value, tf.int32))
    if name in methods:
        return functools.partial(methods[name], value)
    if name not in of_kind:
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    return of_kind[name](value)
