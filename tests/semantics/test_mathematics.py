"""The functions of `math` and `cmath` on members: Python's values and Python's exceptions."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics import faults, vocabulary
from pcbatch.semantics.library import MEANINGS
from pcbatch.semantics.numbers import integers
from pcbatch.semantics.numbers.exact_sums import exact_sum
from tests.support.members import check
from tests.support.tolerances import Tolerance, assert_close

NUMBERS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 8.0, 10.0, 1000.0, 1e15, 2.0**29, 1e-300, 1e300,
    -1e300, 27.0, -27.0, 170.0, 171.7, -3.5, -2.0, 0.1, 700.0, 710.0, math.inf, -math.inf,
    math.nan, 23.0, 5.0, 1.5, 2.5, -1.5, math.pi, 1e22,
)  # fmt: skip
"""Zeros of both signs, exact powers and cubes, poles, what overflows, infinities and NaN."""

ONE = (
    "sqrt exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh fabs degrees radians erf erfc gamma lgamma isnan isinf isfinite modf frexp"
).split()
TWO = "pow fmod remainder copysign nextafter atan2 hypot log isclose".split()

ROUNDING_OF_FUNCTIONS = 8e-14
"""Relative: some hundred units in the last place of float64; most are right to one or two."""
SMALLEST = np.finfo(np.float64).smallest_normal
"""TensorFlow takes smaller numbers for zero."""


def pythons(function: Callable[..., Any], *args: Any) -> Any:
    """What Python gives, or the text of what it raises."""
    try:
        return function(*args)
    except (ValueError, ArithmeticError) as error:
        return f"{type(error).__name__}: {error}"


def on_tensors(function: Callable[..., Any], *args: Any) -> Any:
    """What the meaning of the function gives of tensors, or the text of what it requires."""
    with faults.collecting() as collected:
        result = vocabulary.call(function, *(tf.constant(np.array(x)) for x in args))
    for message, holds in collected.conditions.items():
        if not holds:
            return message
    return tf.nest.map_structure(lambda x: x.numpy().item(), result)


def agree(python: Any, ours: Any) -> bool:
    if isinstance(python, tuple):
        return all(map(agree, python, ours))
    if isinstance(python, (str, bool, int)) or isinstance(ours, str):
        return python == ours
    if math.isnan(python) or math.isnan(ours):
        return math.isnan(python) and math.isnan(ours)
    if abs(python) < SMALLEST and python != 0:
        return abs(ours) < SMALLEST
    signs = math.copysign(1, python) == math.copysign(1, ours)
    near = python == ours or abs(python - ours) <= ROUNDING_OF_FUNCTIONS * abs(python)
    return near and signs


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_float(name):
    function = getattr(math, name)
    for x in NUMBERS:
        assert agree(pythons(function, x), on_tensors(function, x)), x


@pytest.mark.every(10)
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_floats(name):
    function = getattr(math, name)
    for a in itertools.product(NUMBERS, repeat=2):
        assert agree(pythons(function, *a), on_tensors(function, *a)), a


def test_powers_have_exact_logarithms():
    for k in range(-5, 23):
        ten, two = float(f"1e{k}"), 2.0**k
        assert on_tensors(math.log10, ten) == math.log10(ten)
        assert on_tensors(math.log2, two) == k
    for k in range(1, 14):
        assert on_tensors(math.log10, 10.0**k - 1) < k
        assert on_tensors(math.cbrt, float(k**3)) == k


WHOLE = (
    0, 1, 2, 3, 4, 5, 12, 15, 16, 17, 20, -1, -2, -12, 100, 2**31 - 1, -(2**31), 2**52, 2**62,
    2**63 - 1, 3037000499**2, 3037000499**2 - 1,
)  # fmt: skip


@pytest.mark.parametrize("name", ["isqrt", "factorial"])
def test_functions_of_one_integer(name):
    function = getattr(math, name)
    for n in (n for n in WHOLE if name == "isqrt" or n <= 20):
        assert pythons(function, n) == on_tensors(function, n), n


@pytest.mark.parametrize("name", ["gcd", "lcm", "comb", "perm"])
def test_functions_of_two_integers(name):
    function = getattr(math, name)
    for a, b in itertools.product(WHOLE, repeat=2):
        if name in ("comb", "perm") and (b > 20 or a > 60):
            continue
        expected = pythons(function, a, b)
        if isinstance(expected, str) or expected < 2**63:
            assert expected == on_tensors(function, a, b), (a, b)
    assert on_tensors(math.comb, 66, 33) == math.comb(66, 33)


def test_what_an_integer_is_made_of():
    for n in WHOLE:
        tensor = tf.constant(n, tf.int64)
        assert int(integers.bit_length(tensor)) == n.bit_length()
        assert int(integers.bit_count(tensor)) == n.bit_count()
        assert int(integers.digits(tensor)) == len(str(abs(n)))


def test_powers_of_residues():
    moduli = (1, 12, 998244353, -13, 2**63 - 25)
    for b, e, m in itertools.product((3, -5, 2**62 - 3), (0, 5, -1), moduli):
        expected = pythons(pow, b, e, m)
        with faults.collecting() as collected:
            ours = int(integers.power_modulo(*(tf.constant(x, tf.int64) for x in (b, e, m))))
        failed = [text for text, holds in collected.conditions.items() if not holds]
        ours = failed[0] if failed else ours
        assert expected == ours, (b, e, m)


def test_sums_are_exact():
    for values in ([1e100, 1.0, -1e100], [0.1] * 10, [1e16, 1.0, 1e-16], [math.inf, 1.0]):
        assert float(MEANINGS[math.fsum](list(map(tf.constant, map(np.float64, values))))) == (
            math.fsum(values)
        )


def test_sums_of_many_are_rounded_once():
    rng = np.random.default_rng(7)
    for count in (1, 2, 3, 17, 200):
        values = rng.normal(size=count) * 10.0 ** rng.integers(-12, 12, count)
        values = np.concatenate([values, -values[: count // 2]])
        assert float(exact_sum(tf.constant(values))) == math.fsum(values)


def sums_of_lists(n):
    xs = []
    for k in range(n):
        xs.append((-1.0) ** k * 10.0 ** (k % 17) / (k + 1.3))
    own = math.fsum(xs), math.fsum(xs[1 : n // 2 + 1]), math.fsum({x * 0.1 for x in xs})
    return own, math.fsum(x / 3 for x in xs), math.fsum(list(range(n)))


@pytest.mark.parametrize("strategy", ("pc", "local", "loop"))
def test_sums_of_lists_of_the_member(strategy):
    check(sums_of_lists, np.array([0, 1, 5, 33, 200]), jit=False, strategy=strategy)


@pcbatch.autobatch
def floats(x, y):
    import_of_names = math.log(x, 3) + math.hypot(x, y, 1) + math.dist((x, y), (1, 2))
    part, whole = math.modf(x)
    mantissa, exponent = math.frexp(y)
    rest = (
        math.atan2(y, x)
        + math.copysign(x, -y)
        + math.fsum([x, 1e100, y, -1e100])
        + math.pi * math.tau
    )
    special = math.gamma(x) + math.lgamma(y) + math.erf(x) + math.cbrt(y) + math.expm1(1 / y)
    close = math.isclose(x, x + 1e-12) and not math.isclose(x, y, rel_tol=0.1)
    ends = math.nextafter(x, math.inf) + math.ldexp(mantissa, exponent) + math.remainder(x, y)
    return import_of_names, part, whole, exponent, rest, special, close, ends, math.prod([x, y, 2])


@pcbatch.autobatch
def whole_numbers(n, k):
    root = math.isqrt(n)
    half = math.floor(n / 2) + math.ceil(n / 3) + math.trunc(-n / 7)
    return (
        root, half, math.gcd(n, k, 12), math.lcm(n, k), math.factorial(k), math.comb(n, k),
        math.perm(n, k), math.sqrt(n), math.log10(n), math.log2(n), math.exp(-k), math.prod((n, k)),
    )  # fmt: skip


@pcbatch.autobatch
def guarded(x):
    return math.sqrt(x)


STRATEGIES = [
    {"strategy": "pc", "jit": False}, {"strategy": "pc"}, {"strategy": "hybrid"},
    {"strategy": "local"}, {"strategy": "loop"},
]  # fmt: skip


@pytest.mark.every(18)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
@pytest.mark.parametrize("function", [floats, whole_numbers], ids=["floats", "integers"])
def test_in_a_program(function, options):
    if function is floats:
        args = np.array([1.5, 2.25, 27.0]), np.array([3.0, -2.5, 0.5])
    else:
        args = np.array([8, 60, 100], np.int64), np.array([3, 4, 8], np.int64)
    result = function.run(*args, throw=True, **options).value
    for k, member in enumerate(zip(*args, strict=True)):
        expected = function.single(*(x.item() for x in member))
        ours = tuple(np.asarray(leaf)[k].item() for leaf in result)
        assert agree(expected, ours), (expected, ours)


@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_an_exception_stops_one_member(options):
    result = guarded.run(np.array([4.0, -1.0, 9.0]), **options)
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])
    np.testing.assert_array_equal(np.asarray(result.value)[[0, 2]], [2.0, 3.0])
    with pytest.raises(pcbatch.MemberError, match="ValueError: math domain error"):
        guarded.run(np.array([4.0, -1.0, 9.0]), throw=True, **options)


def test_integers_are_float64_and_floats_keep_their_width():
    @pcbatch.autobatch
    def f(n, x):
        return math.sqrt(n), math.sqrt(x), math.sqrt(n) * x, math.sqrt(2) * x

    types = [leaf.dtype for leaf in f(np.array([2], np.int32), np.array([2.0], np.float32))]
    assert types == [tf.float64, tf.float32, tf.float32, tf.float32]


def test_any_name_of_a_function():
    import math as m
    from math import sqrt as root

    @pcbatch.autobatch
    def f(x, n):
        f = m.floor
        return root(x) + m.sin(x), [g(x) for g in (m.exp, m.cos)], max(n, 2, key=m.sqrt), f(x)

    x, n = np.array([0.5, 2.5]), np.array([1, 3])
    values = f(x, n)
    for k in range(2):
        expected = f.single(float(x[k]), int(n[k]))
        ours = tf.nest.map_structure(lambda leaf, k=k: np.asarray(leaf)[k].item(), values)
        assert_close(tf.nest.flatten(ours), tf.nest.flatten(expected), Tolerance(1e-14))


def test_complex_numbers():
    @pcbatch.autobatch
    def f(x, z):
        r, phi = cmath.polar(z)
        return (
            cmath.sqrt(x),
            cmath.exp(z * cmath.pi),
            cmath.phase(z),
            cmath.rect(r, phi),
            cmath.log(z),
        )

    x, z = np.array([4.0, -4.0]), np.array([1 + 2j, -3.0 + 0.5j])
    values = f(x, z)
    for k in range(2):
        expected = f.single(float(x[k]), complex(z[k]))
        assert_close([np.asarray(v)[k] for v in values], expected, Tolerance(1e-13))


def test_complex_numbers_are_made_of_a_members_numbers():
    @pcbatch.autobatch
    def f(x, n):
        z = complex(x, n)
        return z, complex(n), complex(z, x), complex(1, z), complex(imag=x), complex(2).real

    x, n = np.array([0.5, -2.0]), np.array([3, -1])
    values = f(x, n)
    for k in range(2):
        expected = f.single(float(x[k]), int(n[k]))
        assert [np.asarray(v)[k].item() for v in values[:5]] == list(expected[:5])
    assert (values[5].numpy() == 2.0).all()
    assert f.run(x.astype(np.float32), x.astype(np.float32)).value[0].dtype == tf.complex64


def escapes(n):
    z, c, k = 0j, complex(-0.5, n / 10), 0
    while abs(z) <= 2 and k < 50:
        z = z * z + c
        k += 1
    return k


def roots_of_unity(n):
    total, product = 0, 1 + 0j
    for k in range(n):
        total += complex(k, 1)
        product *= k - 2j
    z = 1
    if n > 3:
        z = 2j
    return abs(z), total.imag, product.real, product.imag


@pytest.mark.parametrize("program", [escapes, roots_of_unity])
def test_complex_literals_are_numbers(program):
    check(program, np.array([1, 2, 3, 5, 9]))


def test_every_function_of_the_library_has_a_meaning():
    functions = {name for name in dir(math) if callable(getattr(math, name)) and name[0] != "_"}
    known = {function.__name__ for function in MEANINGS} | {"fma"}  # of Python 3.13, refused
    assert functions <= known
