"""NumPy's tests and comparisons of each element, choices, bits, and parts of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.backend.exact import shifted
from pcbatch.semantics.arrays.elementwise import MEANINGS as OF_EACH
from pcbatch.semantics.arrays.elementwise import no_bools, or_one
from pcbatch.semantics.arrays.operands import (
    array,
    as_floats,
    as_integers,
    marked,
    tensor,
    unified,
)
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.numbers.comparison import compared
from pcbatch.semantics.numbers.promotion import cast
from pcbatch.semantics.numbers.widths import cast_exactly

Meaning = Callable[..., Any]


def _test(meaning: Meaning, otherwise: bool) -> Meaning:
    """A property of floats; integers have it or not."""

    def run(value: Any) -> Any:
        x = tensor(value)
        if x.dtype.is_complex:
            parts = [meaning(tf.math.real(x)), meaning(tf.math.imag(x))]
            return tf.logical_and(*parts) if otherwise else tf.logical_or(*parts)
        return meaning(x) if x.dtype.is_floating else tf.fill(x.shape, otherwise)

    return run


def _positive_infinity(x: Any) -> Any:
    return tf.math.is_inf(x) & (x > 0)


def _negative_infinity(x: Any) -> Any:
    return tf.math.is_inf(x) & (x < 0)


def _comparison(symbol: str) -> Meaning:
    return lambda a, b: compared(symbol, array(a), array(b))


def truths(value: Any) -> Any:
    """The truth of each element; NaN is true."""
    x = tensor(value)
    return x if x.dtype == tf.bool else tf.not_equal(x, tf.zeros([], x.dtype))


def _logical(meaning: Meaning) -> Meaning:
    return lambda *values: meaning(*map(truths, values))


def _bitwise(name: str, of_integers: Meaning, of_bools: Meaning) -> Meaning:
    def run(*values: Any) -> Any:
        tensors, weak = unified([as_integers(name, value) for value in values])
        known = of_bools if tensors[0].dtype == tf.bool else of_integers
        return marked(known(*tensors), weak)

    return run


def _gcd(a: Any, b: Any) -> Any:
    """Euclid's algorithm, as long as any element goes on."""
    a, b = (tf.abs(tf.broadcast_to(x, tf.broadcast_static_shape(a.shape, b.shape))) for x in (a, b))

    def going(x: Any, _: Any) -> Any:
        return tf.reduce_any(tf.not_equal(x, 0))

    def step(x: Any, y: Any) -> Any:
        over = tf.equal(x, 0)
        return tf.where(over, x, tf.truncatemod(y, or_one(x))), tf.where(over, y, x)

    return tf.while_loop(going, step, (a, b))[1]


def _lcm(a: Any, b: Any) -> Any:
    return tf.abs(tf.truncatediv(a, or_one(_gcd(a, b))) * b)


def _shift(symbol: str) -> Meaning:
    def run(a: Any, b: Any) -> Any:
        name = "left_shift" if symbol == "<<" else "right_shift"
        (x, y), weak = unified([as_integers(name, value) for value in (a, b)])
        return marked(shifted(symbol, x, y), weak)

    return run


TESTS: dict[str, Meaning] = {
    "isnan": _test(tf.math.is_nan, False), "isinf": _test(tf.math.is_inf, False),
    "isfinite": _test(tf.math.is_finite, True),
    "isposinf": _test(_positive_infinity, False), "isneginf": _test(_negative_infinity, False),
}  # fmt: skip
_COMPARISONS: dict[str, Meaning] = {
    "less": _comparison("<"), "less_equal": _comparison("<="), "greater": _comparison(">"),
    "greater_equal": _comparison(">="), "equal": _comparison("=="), "not_equal": _comparison("!="),
    "logical_and": _logical(tf.logical_and), "logical_or": _logical(tf.logical_or),
    "logical_xor": _logical(tf.math.logical_xor), "logical_not": _logical(tf.logical_not),
}  # fmt: skip
_BITS: dict[str, Meaning] = {
    "bitwise_and": _bitwise("bitwise_and", tf.bitwise.bitwise_and, tf.logical_and),
    "bitwise_or": _bitwise("bitwise_or", tf.bitwise.bitwise_or, tf.logical_or),
    "bitwise_xor": _bitwise("bitwise_xor", tf.bitwise.bitwise_xor, tf.math.logical_xor),
    "invert": _bitwise("invert", tf.bitwise.invert, tf.logical_not),
    "gcd": _bitwise("gcd", _gcd, no_bools("gcd")),
    "lcm": _bitwise("lcm", _lcm, no_bools("lcm")),
    "left_shift": _shift("<<"), "right_shift": _shift(">>"),
}  # fmt: skip


# --- What is made of them ------------------------------------------------------------------------


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """`np.isclose`: not symmetric; `b` is the reference."""
    (x, y), _ = as_floats([a, b])
    absolute, relative = (cast_exactly(bound, x.dtype.real_dtype) for bound in (atol, rtol))
    near = tf.abs(x - y) <= absolute + relative * tf.abs(y)
    found = tf.equal(x, y) | (near & TESTS["isfinite"](y))
    return found | (TESTS["isnan"](x) & TESTS["isnan"](y)) if equal_nan else found


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """`np.where`; of a condition alone `np.nonzero`."""
    if x is None or y is None:
        return Meanings.selecting["nonzero"](condition)
    (yes, no), weak = unified([array(x), array(y)])
    return marked(tf.where(truths(condition), yes, no), weak)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """`np.select`: of the first condition that holds."""
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = where(condition, choice, result)
    return result


def real(value: Any) -> Any:
    """`np.real`."""
    x = tensor(value)
    return tf.math.real(x) if x.dtype.is_complex else x


def imag(value: Any) -> Any:
    """`np.imag`."""
    x = tensor(value)
    return tf.math.imag(x) if x.dtype.is_complex else tf.zeros_like(x)


def angle(z: Any, deg: bool = False) -> Any:
    """`np.angle`."""
    (x,), weak = as_floats([z])
    found = tf.atan2(imag(x), real(x))
    return marked(OF_EACH["degrees"](found) if deg else found, weak)


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """`np.nan_to_num`."""
    x = tensor(x)
    if not x.dtype.is_floating:
        return x
    above, below = (
        (x.dtype.max if posinf is None else posinf),
        (x.dtype.min if neginf is None else neginf),
    )
    x = tf.where(_positive_infinity(x), cast(above, x.dtype), x)
    x = tf.where(_negative_infinity(x), cast(below, x.dtype), x)
    return tf.where(tf.math.is_nan(x), cast(nan, x.dtype), x)


MEANINGS: dict[str, Meaning] = {
    **TESTS, **_COMPARISONS, **_BITS, "isclose": isclose, "where": where, "select": select,
    "real": real, "imag": imag, "angle": angle, "nan_to_num": nan_to_num,
}  # fmt: skip
"""By the name that NumPy's function has in `np`."""
