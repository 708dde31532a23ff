"""NumPy's functions, and the methods of its arrays, on members: NumPy's values and dtypes."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics import arrays, faults, vocabulary
from tests.support.tolerances import ROUNDING, Tolerance, assert_close

EXTREMES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.5, 1e-300, 1e300, np.inf, -np.inf, np.nan, 27.0, 10.0]
)
"""Zeros of both signs, ties, what overflows, infinities and NaN."""
WHOLE = np.array([0, 1, -1, 5, -7, 12, 5, 2**40])
NARROW = np.array([0, 1, -1, 5, -7, 12, 5, 2**30], np.int32)
TRUTHS = np.array([True, False, True])
SINGLE = np.array([0.5, np.nan, -2.5, 3.0, np.inf], np.float32)
PLAIN = np.array([3.0, -1.0, 2.0, 2.0, -0.5])
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
BEHIND = np.array([[0.0, 2.0], [3.0, np.nan], [-1.0, np.inf]])
COMPLEX = np.array([1 + 2j, -0.5j, -3.0])

UNARY_OF_FLOATS = (
    "exp2 expm1 log2 log10 log1p cbrt degrees rad2deg radians deg2rad sinc fabs rint signbit sqrt "
    "exp log sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh"
).split()
UNARY_OF_ALL = "absolute sign square floor ceil trunc fix negative positive conjugate".split()
TESTS = "isnan isinf isfinite isposinf isneginf logical_not".split()
BINARY_OF_FLOATS = "arctan2 hypot copysign logaddexp heaviside float_power".split()
BINARY_OF_NUMBERS = (
    "add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin less "
    "less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor"
).split()
BINARY_OF_INTEGERS = "gcd lcm bitwise_and bitwise_or bitwise_xor".split()
REDUCTIONS = "sum prod mean var std any all count_nonzero cumsum cumprod".split()
EXTREME = "max min ptp argmax argmin median sort".split()
WITHOUT_NAN = "nansum nanprod nanmean nanvar nanstd nanmax nanmin".split()

SMALLEST = np.finfo(np.float64).smallest_normal
"""TensorFlow takes smaller numbers for zero."""
ELEMENTARY = {"float64": 8e-14, "float32": 2e-6, "float16": 2e-3, "complex128": 1e-13}
"""Relative: what functions of floats are wrong by at most."""


def known(name: str) -> Any:
    return operator.attrgetter(name)(np)


def ours(function: Any, *args: Any, **how: Any) -> Any:
    """What a function gives of tensors, or the text of what it requires."""
    tensors = [tf.constant(x) if isinstance(x, np.ndarray) else x for x in args]
    with faults.collecting() as collected:
        result = vocabulary.call(function, *tensors, **how)
    for message, holds in collected.conditions.items():
        if not holds:
            return message
    return tf.nest.map_structure(np.asarray, result)


def numpys(function: Any, *args: Any, **how: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*args, **how)


def check(name: str, *args: Any, **how: Any) -> None:
    """Compare dtypes, shapes and values, NaN and infinities included."""
    expected, got = (f(known(name), *args, **how) for f in (numpys, ours))
    for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(got), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), (name, args, a, b)
        if a.dtype.kind in "biu":
            np.testing.assert_array_equal(b, a, err_msg=name)
            continue
        tiny = (np.abs(a) < SMALLEST) & (np.abs(b) < SMALLEST)
        rtol = ELEMENTARY[a.dtype.name]
        assert_close(np.where(tiny, a, b), a, Tolerance(rtol, 1e-15), name)


@pytest.mark.parametrize("name", UNARY_OF_FLOATS)
def test_functions_of_floats(name):
    check(name, EXTREMES)
    if name != "signbit":  # of integers NumPy asks a float, too
        check(name, np.array([0, 1, 5], np.int32))
    if name not in ("signbit", "sinc"):
        check(name, np.array([0, 1, 5], np.int16))


@pytest.mark.parametrize("name", UNARY_OF_ALL + TESTS)
def test_functions_that_keep_the_dtype(name):
    for values in (EXTREMES, WHOLE, NARROW, SINGLE):
        check(name, values)


@pytest.mark.parametrize("name", BINARY_OF_FLOATS + BINARY_OF_NUMBERS)
def test_functions_of_two(name):
    check(name, EXTREMES[:, None], EXTREMES)
    check(name, PLAIN, 2.0)
    if name in BINARY_OF_NUMBERS:
        check(name, WHOLE[:, None], WHOLE)


@pytest.mark.parametrize("name", BINARY_OF_INTEGERS)
def test_functions_of_integers(name):
    check(name, WHOLE[:, None], WHOLE[1:])


@pytest.mark.parametrize("name", REDUCTIONS + EXTREME)
def test_reductions(name):
    for values in (EXTREMES, PLAIN, WHOLE[:7], NARROW[:7], SINGLE, TRUTHS):
        if not (values is TRUTHS and name in ("ptp", "median")):
            check(name, values)
    for axis in (0, 1, -1):
        check(name, BEHIND, axis=axis)
    if name not in ("cumsum", "cumprod", "argmax", "argmin", "sort"):
        check(name, SQUARE, axis=0, keepdims=True)


@pytest.mark.parametrize("name", WITHOUT_NAN)
def test_reductions_without_nan(name):
    for values in (SINGLE[:4], BEHIND[:, 1:][:2], np.array([np.nan, np.nan]), WHOLE[:7]):
        check(name, values)


MORE = [
    ("power", WHOLE[:6], 2), ("power", PLAIN, PLAIN), ("power", TRUTHS, NARROW[:2].repeat(2)[:3]),
    ("round", PLAIN, 1), ("round", EXTREMES), ("round", WHOLE), ("clip", EXTREMES, -1, 2.5),
    ("clip", WHOLE, 0, 2.5),
    ("clip", PLAIN, None, 1.0), ("isclose", PLAIN, PLAIN + 1e-9), ("isclose", EXTREMES, 0.0),
    ("allclose", PLAIN, PLAIN), ("array_equal", PLAIN, PLAIN), ("array_equal", PLAIN, SQUARE),
    ("where", TRUTHS, PLAIN[:3], 2.5), ("where", PLAIN[:3], WHOLE[:3], NARROW[:3]),
    ("abs", COMPLEX), ("sqrt", COMPLEX), ("angle", COMPLEX), ("real", COMPLEX), ("imag", PLAIN),
    ("conj", COMPLEX),
    ("nan_to_num", EXTREMES), ("left_shift", WHOLE, 3), ("right_shift", WHOLE, 3),
    ("invert", WHOLE), ("invert", TRUTHS), ("divmod", WHOLE, 5), ("divmod", EXTREMES, -0.3),
    ("average", PLAIN), ("average", PLAIN, None, np.abs(PLAIN)), ("percentile", PLAIN, 30),
    ("quantile", SQUARE, [0.1, 0.9], 0), ("argsort", EXTREMES[4:]), ("sort", SQUARE, 0),
    ("searchsorted", np.sort(PLAIN), EXTREMES), ("searchsorted", np.sort(PLAIN), 2.0, "right"),
    ("sum", SQUARE, (0, 1)), ("amax", BEHIND, 1), ("full", 3, PLAIN[0]), ("zeros_like", SINGLE),
    ("ones_like", WHOLE, float), ("full_like", NARROW, 3), ("array", PLAIN, np.float32),
    ("linspace", PLAIN[0], 7.0, 4), ("linspace", PLAIN, 1.0, 3, False), ("float32", PLAIN),
    ("int64", PLAIN), ("bool_", PLAIN), ("reshape", SQUARE, (1, -1)), ("ravel", SQUARE),
    ("transpose", SQUARE[:2]), ("moveaxis", SQUARE[None], 0, 2), ("swapaxes", BEHIND, 0, 1),
    ("expand_dims", PLAIN, (0, 2)), ("squeeze", SQUARE[None, :1]), ("broadcast_to", PLAIN, (2, 5)),
    ("atleast_2d", PLAIN), ("append", PLAIN, 3), ("flip", SQUARE, 1), ("fliplr", SQUARE),
    ("roll", SQUARE, 2), ("roll", SQUARE, -1, 1), ("repeat", PLAIN, 2), ("repeat", SQUARE, 2, 1),
    ("tile", PLAIN, (2, 2)), ("tile", SQUARE, 2), ("diff", PLAIN, 2), ("diff", TRUTHS),
    ("diff", SQUARE, 1, 0), ("diagonal", SQUARE, 1), ("diag", PLAIN), ("diag", PLAIN, -2),
    ("diag", SQUARE, -1), ("trace", SQUARE), ("tril", SQUARE), ("triu", SQUARE, 1),
    ("take", PLAIN, WHOLE[:2]), ("take", SQUARE, [0, 2], 1), ("split", PLAIN[:4], 2),
    ("split", PLAIN, [1, 3]), ("trapezoid", PLAIN), ("trapezoid", PLAIN, np.arange(5.0)),
    ("polyval", PLAIN, 1.5), ("interp", EXTREMES, np.arange(5.0), PLAIN), ("shape", SQUARE),
    ("convolve", PLAIN, SQUARE[0]), ("convolve", SQUARE[0], PLAIN, "valid"), ("size", SQUARE),
    ("convolve", PLAIN, PLAIN[:2], "same"), ("dot", PLAIN, PLAIN), ("dot", SQUARE, PLAIN[:3]),
    ("dot", WHOLE, WHOLE), ("dot", PLAIN, 2.0), ("matmul", SQUARE, SQUARE),
    ("matmul", SQUARE[None], PLAIN[:3]), ("inner", SQUARE, PLAIN[:3]), ("vdot", COMPLEX, COMPLEX),
    ("outer", PLAIN, WHOLE), ("kron", SQUARE, BEHIND[:2]), ("cross", PLAIN[:3], SQUARE),
    ("tensordot", SQUARE, SQUARE, 1), ("linalg.norm", PLAIN), ("linalg.norm", PLAIN, 1),
    ("linalg.norm", BEHIND, np.inf), ("linalg.norm", SQUARE, None, 1), ("linalg.norm", SQUARE, 1),
    ("linalg.solve", SQUARE, PLAIN[:3]), ("linalg.inv", SQUARE), ("linalg.det", SQUARE),
    ("linalg.slogdet", -SQUARE), ("linalg.cholesky", SQUARE), ("linalg.eigvalsh", SQUARE),
    ("linalg.matrix_power", SQUARE, -3), ("median", BEHIND, 0),
    ("pad", PLAIN, 2), ("pad", SQUARE, ((1, 0), (0, 2)), "edge"), ("pad", PLAIN, (1, 2), "wrap"),
    ("pad", SQUARE, 1, "reflect"), ("pad", WHOLE, 1, "symmetric"),
    ("unravel_index", 5, (2, 3)), ("unravel_index", np.array([0, 7]), (2, 2, 3)),
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("entry", MORE, ids=lambda entry: entry[0])
def test_functions(entry):
    check(*entry)


def test_eigenvectors_are_as_exact_as_numpys():
    """XLA's own are right to half of their digits."""

    def f(n):
        a = np.diag(np.array([2.0, 3.0, 4.0, 5.0]) * n)
        for i in range(3):
            a[i, i + 1] = a[i + 1, i] = 0.5
        values, vectors = np.linalg.eigh(a)
        return np.abs(vectors @ np.diag(values) @ vectors.T - a).max()

    n = np.array([1.0, 1.5, 2.0])
    assert pcbatch.autobatch(f)(n).numpy().max() < 1e-14


def test_functions_of_sequences():
    parts = [tf.constant(PLAIN), WHOLE[:5]]
    for name in ("concatenate", "stack", "hstack", "vstack", "column_stack", "array"):
        expected = numpys(known(name), [PLAIN, WHOLE[:5]])
        np.testing.assert_array_equal(ours(known(name), parts), expected)
    two = [tf.constant(1.5), 2]
    for name in ("sum", "mean", "max", "array", "prod"):
        assert ours(known(name), two) == pytest.approx(numpys(known(name), [1.5, 2]))


def test_what_is_singular_is_numpys_error():
    for name in ("inv", "cholesky"):
        function = known(f"linalg.{name}")
        with pytest.raises(np.linalg.LinAlgError) as caught:
            function(np.zeros((2, 2)))
        assert ours(function, np.zeros((2, 2))) == f"LinAlgError: {caught.value}"


def test_methods_of_ufuncs_and_of_constant_arrays():
    x = tf.constant(SQUARE)
    np.testing.assert_array_equal(ours(np.add.reduce, SQUARE), np.add.reduce(SQUARE))
    np.testing.assert_array_equal(ours(np.subtract.outer, PLAIN, PLAIN)[1], PLAIN[1] - PLAIN)
    assert_close(ours(PLAIN[:3].dot, SQUARE), PLAIN[:3].dot(SQUARE), Tolerance(1e-15))
    assert vocabulary.call(np.zeros, 2, dtype=x.dtype).dtype == np.float64


def test_every_method_is_numpys():
    assert set(arrays.METHODS) <= set(dir(np.ndarray))


@pcbatch.autobatch
def words(v, n, m):
    """Methods, attributes, constants, and what a loop does with them."""
    w = np.array([n, 2.5, v[0], 1]) + np.zeros(4)
    u = np.where(v > 0, v, -v).clip(0, 3).reshape(2, -1).T
    total, rounds = np.sqrt(n), 0
    while np.max(w) < 50 and rounds < v.size:
        w = np.roll(np.concatenate([w[1:], [w.sum()]]), n)
        total += np.linalg.norm(w) * w.argmax()
        rounds += 1
    y = np.linalg.solve(m, v[:3].copy())
    least = min(v.astype(np.float32).tolist())
    return w, u.flatten(), total, rounds, np.dot(m, y), least, np.any(v > 2), m.T.mean(axis=0)


BATCH = (
    np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 9.0, -1.0, 2.0], [0.0, 1.0, 1.0, -4.0]]),
    np.array([3, 0, 25]),
    SQUARE * np.array([1.0, -2.0, 0.5])[:, None, None],
)
STRATEGIES = [{"strategy": "pc"}, {"strategy": "local", "jit": False}, {"strategy": "loop"}]


@pytest.mark.every(4)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_in_a_program(options):
    value = words.run(*BATCH, throw=True, **options).value
    for k in range(3):
        expected = words.single(BATCH[0][k], int(BATCH[1][k]), BATCH[2][k])
        for mine, theirs in zip(value, expected, strict=True):
            assert_close(np.asarray(mine)[k], theirs, Tolerance(ROUNDING["float64"].relative))


def test_a_singular_matrix_stops_one_member():
    @pcbatch.autobatch
    def f(m):
        return np.linalg.inv(m)

    batch = np.stack([SQUARE, np.ones((3, 3)), SQUARE])
    result = f.run(batch, jit=False)
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])
    with pytest.raises(pcbatch.MemberError, match="LinAlgError: Singular matrix"):
        f.run(batch, jit=False, throw=True)


def test_floats_keep_their_width():
    @pcbatch.autobatch
    def f(x, v, n):
        return np.sqrt(x), np.mean(v), np.array([x, 1]), np.sqrt(n) * x, v * np.sqrt(2), np.sum(n)

    types = [
        t.dtype.name
        for t in f.run(
            np.array([2.0], np.float32), np.ones((1, 2), np.float32), np.array([2], np.int32),
            strategy="local", jit=False,
        ).value
    ]  # fmt: skip
    assert types == ["float32"] * 5 + ["int64"]


def refused(function: Any, *args: Any) -> str:
    with pytest.raises(pcbatch.ProgramError) as caught:
        pcbatch.autobatch(function).run(*args, strategy="local", jit=False)
    return str(caught.value)


def test_what_is_not_known_is_refused_by_name():
    v, n = PLAIN[None], np.array([3])
    assert "`np.cov` of a member's array is not known" in refused(lambda v: np.cov(v), v)
    assert "`ndarray.sort` of a member's array" in refused(lambda v: v.sort(), v)
    assert "`np.hypot.reduce`" in refused(lambda v: np.hypot.reduce(v), v)
    assert "depends on the member" in refused(lambda v, n: np.tile(v, n), v, n)
    assert "the shape of an array depends" in refused(lambda v, n: np.reshape(v, (n, -1)), v, n)
    assert "unexpected keyword argument 'out'" in refused(lambda v: np.sum(v, out=v), v)


def test_the_remedies_work():
    def on_members(x):
        return np.stack([np.cov(row) for row in x])

    @pcbatch.autobatch
    def f(v, n):
        kept = np.where(np.arange(5) < n, v, 0)
        xs = [0.0] * n
        y = pcbatch.host_call(on_members, v, result=tf.TensorSpec([], tf.float64))
        return y, kept, len(xs)

    y, kept, length = f.run(PLAIN[None], np.array([3]), jit=False, throw=True).value
    assert float(y[0]) == pytest.approx(np.cov(PLAIN))
    np.testing.assert_array_equal(kept[0], [3.0, -1.0, 2.0, 0.0, 0.0])
    assert int(length[0]) == 3
