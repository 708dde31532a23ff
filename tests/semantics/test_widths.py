"""The table of widths: which dtype a result has, of literals, weak numbers and dtypes."""

from __future__ import annotations

import ast
import itertools

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from pcbatch.semantics.numbers.widths import (
    NoCommonDtype,
    Number,
    Widths,
    as_integer,
    joined,
    literal,
    met,
    of_arguments,
    using,
)
from tests.support.members import check

NARROW = of_arguments(["int32", "float32", "uint8"])
WIDE = of_arguments(["int64", "float64"])
INTEGERS_ONLY = of_arguments(["int64", "bool"])


def number(text: str) -> Number:
    """A number: `int8` has a dtype, `~int32` is weak, anything else is a literal."""
    if text.startswith("~"):
        return Number(tf.as_dtype(text[1:]), weak=True)
    known = text[0].islower()
    return Number(tf.as_dtype(text)) if known else literal(ast.literal_eval(text))


MET = [
    # widths, operands, result
    (NARROW, "int8", "int8", "int8"),
    (NARROW, "int8", "int64", "int64"),
    (NARROW, "int32", "uint32", "int64"),
    (NARROW, "uint8", "int8", "int16"),
    (NARROW, "int64", "float32", "float32"),
    (NARROW, "int8", "float64", "float64"),
    (NARROW, "float32", "float64", "float64"),
    (NARROW, "float16", "bfloat16", "float32"),
    (NARROW, "complex64", "float64", "complex128"),
    (NARROW, "int8", "1", "int8"),
    (NARROW, "int8", "~int32", "int32"),
    (NARROW, "int64", "~int32", "int64"),
    (NARROW, "uint64", "~int64", "uint64"),
    (NARROW, "float32", "1", "float32"),
    (NARROW, "float32", "0.5", "float32"),
    (NARROW, "float32", "~int64", "float32"),
    (NARROW, "float32", "~float64", "float32"),
    (WIDE, "float32", "~float64", "float64"),
    (WIDE, "float32", "0.5", "float32"),
    (NARROW, "int32", "0.5", "~float64"),
    (NARROW, "uint8", "~float32", "~float64"),
    (NARROW, "~int32", "0.5", "~float32"),
    (WIDE, "~int32", "0.5", "~float64"),
    (INTEGERS_ONLY, "~int32", "0.5", "~float64"),
    (NARROW, "~int64", "0.5", "~float64"),
    (NARROW, "~int32", "1", "~int32"),
    (WIDE, "~int64", "1", "~int64"),
    (NARROW, "True", "int8", "int8"),
    (NARROW, "~float32", "0.5", "~float32"),
]


def shown(found: Number) -> str:
    return "~" * found.weak + found.dtype.name


@pytest.mark.parametrize(("widths", "a", "b", "result"), MET)
def test_what_operations_give(widths: Widths, a: str, b: str, result: str) -> None:
    with using(widths):
        assert shown(met(number(a), number(b))) == result
        assert shown(met(number(b), number(a))) == result


def test_a_truth_value_gives_a_number() -> None:
    assert shown(met(Number(tf.bool), literal(3))) == "~int32"
    assert shown(met(Number(tf.bool), Number(tf.int8))) == "int8"
    assert shown(met(Number(tf.bool), literal(0.5))) == "~float32"


def test_literals_do_not_adopt_a_narrow_dtype_where_paths_meet() -> None:
    with using(NARROW):
        assert shown(joined(literal(0), Number(tf.uint8))) == "int32"
        assert shown(joined(literal(0.0), Number(tf.float32))) == "float32"
    with using(WIDE):
        assert shown(joined(literal(0), Number(tf.int32))) == "int64"
        assert shown(joined(literal(0.0), Number(tf.float32))) == "float64"


def test_no_dtype_holds_what_two_of_mixed_signs_do() -> None:
    with pytest.raises(NoCommonDtype, match="no integer dtype"):
        met(Number(tf.int64), Number(tf.uint64))


NUMBERS = [Number(tf.as_dtype(t)) for t in ("bool", "int8", "int32", "int64", "float32", "float64")]
NUMBERS += [Number(t, weak=True) for t in (tf.int32, tf.int64, tf.float32, tf.float64)]


@pytest.mark.parametrize("widths", [NARROW, WIDE, INTEGERS_ONLY], ids=["32", "64", "integers"])
def test_joins_end(widths: Widths) -> None:
    """Inference joins again and again: what has been joined already changes nothing."""
    with using(widths):
        for a, b, c in itertools.product(NUMBERS, repeat=3):
            assert joined(a, b) == joined(b, a)
            seen = [joined(joined(a, b), c)]
            for x in (a, b, c) * 3:
                seen.append(joined(seen[-1], x))
            assert seen[-1] == seen[-4], (a, b, c)


@pytest.mark.parametrize(
    ("widths", "dtype", "result"),
    [
        (NARROW, "float32", "int32"),
        (NARROW, "float64", "int64"),
        (WIDE, "float32", "int64"),
        (NARROW, "uint8", "int32"),
        (NARROW, "uint32", "int64"),
        (NARROW, "uint64", "uint64"),
        (WIDE, "int32", "int64"),
        (WIDE, "bool", "int64"),
    ],
)
def test_int(widths: Widths, dtype: str, result: str) -> None:
    with using(widths):
        assert as_integer(tf.as_dtype(dtype)).name == result


# --- Programs ----------------------------------------------------------------------------------


def run(f, *args, **options):
    options = {"strategy": "loop", **options}
    return tf.nest.map_structure(
        lambda x: x.numpy(), pcbatch.autobatch(f).run(*args, throw=True, **options).value
    )


def count(n):
    k, s = 0, 0.0
    while k < 2:
        k += 1
        s += 0.25
    return k, s, 7, 0.5


@pytest.mark.parametrize(
    ("dtype", "integer", "floating"),
    [
        (np.int32, np.int32, np.float32),
        (np.int64, np.int64, np.float64),
        (np.uint8, np.int32, np.float32),
        (np.uint64, np.int64, np.float64),
        (np.uint32, np.int32, np.float32),
        (np.float64, np.int32, np.float64),
        (np.float32, np.int32, np.float32),
        (np.float16, np.int32, np.float32),
    ],
)
def test_literals_are_as_wide_as_the_arguments(dtype, integer, floating) -> None:
    found = [x.dtype for x in run(count, np.ones(2, dtype))]
    assert found == [integer, floating, integer, floating]


def test_keys_and_shared_numbers_are_no_wide_arguments() -> None:
    def f(key, n, x):
        return count(n)[0], n + 1, x, n * x

    how = {"in_axes": (0, None, None)}
    keys = pcbatch.random.split(pcbatch.random.key(0), 2)
    k, n, x, product = run(f, keys, 2**20, 0.1, **how)
    assert (k.dtype, n.dtype, x.dtype) == (np.int32, np.int32, np.float64)
    assert product[0] == 2**20 * 0.1


def test_a_shared_number_has_all_digits() -> None:
    """A Python float for all members was rounded to 32 bits before it met a float64."""

    def f(low, x, n):
        return low * x, low / n, n

    how = {"in_axes": (None, 0, None)}
    product, quotient, n = run(f, 0.1, np.array([3.0, 7.0]), 2**40, **how)
    assert product.tolist() == [0.1 * 3.0, 0.1 * 7.0]
    assert quotient.tolist() == [0.1 / 2**40] * 2
    assert n.tolist() == [2**40] * 2


def test_calls_with_other_kinds_of_number_are_apart() -> None:
    """A function of an integer stays one where it is called with a float, too."""

    @pcbatch.autobatch
    def half(x):
        return x // 2

    def f(n, x):
        return half(n), half(x), half(3)

    a, b, c = run(f, np.array([2**53 + 3]), np.array([5.5]))
    assert (a[0], b[0], c[0]) == ((2**53 + 3) // 2, 2.0, 1)
    assert (a.dtype, b.dtype) == (np.int64, np.float64)


def mean(a, b):
    total = a
    total += b
    return total / 2, max(a, b), 1 if isinstance(a, int) else 0.5 * (a + b)


def weighted(n, x, *, scale: int | float = 0.5):
    items = [n]
    also = items
    items += [x]
    return scale * sum(items) * len(also), (lambda y: y * n)(x), mean(n, x)[0]


def test_plain_functions_take_numbers_of_any_dtypes() -> None:
    def f(n, x, y):
        return mean(x, y)[:2], weighted(n, x, scale=2), weighted(n, y)[0]

    n, x, y = np.array([3, 4]), np.array([0.5, -2], np.float32), np.array([1e300, 7.25])
    ((middle, largest), (sums, products, means), other) = run(f, n, x, y)
    assert middle.tolist() == [(0.5 + 1e300) / 2, (-2 + 7.25) / 2]
    assert largest.tolist() == [1e300, 7.25]
    assert sums.tolist() == [2 * 3.5 * 2, 2 * 2 * 2]
    assert products.tolist() == [1.5, -8]
    assert means.tolist() == [1.75, 1]
    assert other.tolist() == [0.5 * (3 + 1e300) * 2, 0.5 * 11.25 * 2]
    assert (sums.dtype, middle.dtype) == (np.float32, np.float64)


TABLE = np.array([0.1, 0.2])
LARGE = np.array([1, 2**40])


def test_arrays_of_numpy_take_the_dtype_that_they_meet_where_it_holds_them() -> None:
    def f(n, x):
        return TABLE * x, LARGE + n, LARGE[:1] + n, np.float64(0.1) * n, n < np.float64(1.5)

    scaled, wide, narrow, tenth, less = run(f, np.array([1, 2], np.int32), np.float32([1, 2]))
    assert (scaled.dtype, wide.dtype, narrow.dtype) == (np.float32, np.int64, np.int32)
    assert wide.tolist() == [[2, 2**40 + 1], [3, 2**40 + 2]]
    assert (tenth.tolist(), less.tolist()) == ([0.1, 0.2], [True, False])


def test_elements_of_buffers() -> None:
    def f(n):
        whole, small = pcbatch.buffer(2, like=0), pcbatch.buffer(2, like=n)
        whole[0] = n * 2.0 > 3
        whole[1] = int(n / 2)
        small[0] = int(n / 2)
        return whole[0] + whole[1], small[0]

    a, b = run(f, np.array([1, 5], np.int32))
    assert (a.tolist(), a.dtype, b.tolist(), b.dtype) == ([0, 3], np.int32, [0, 2], np.int32)

    def stored(n, x):
        small = pcbatch.buffer(2, like=n)
        small[0] = x
        return small

    with pytest.raises(ProgramError, match="int32"):
        run(stored, np.array([1], np.int32), np.array([1.0], np.float32))
    assert run(stored, np.array([1], np.int32), np.array([2**32 + 7]))[0].tolist() == [7, 0]


def test_single_has_numbers_of_64_bits_among_such_numbers() -> None:
    @pcbatch.autobatch
    def f(n):
        stack = pcbatch.buffer(2, like=0)
        stack[0] = n
        return stack[0]

    assert int(f.single(2**40)) == 2**40
    assert f.single(np.int32(5)).dtype == tf.int32


def test_comparisons_round_neither_side() -> None:
    def f(n, x, h):
        return n == x, n < x, h < n / 3, h == x

    n, x = np.array([2**53 + 1, 1]), np.array([2.0**53, 1 / 3])
    equal, less, below, same = run(f, n, x, np.array([1, 1 / 3], np.float32))
    assert (equal.tolist(), less.tolist()) == ([False, False], [False, False])
    assert below.tolist() == [True, float(np.float32(1 / 3)) < 1 / 3]
    assert same.tolist() == [False, False]


def made(scale):
    def inner(x):
        return max(scale(x), 1)

    return inner


@pcbatch.autobatch
def calls_what_a_helper_makes(n):
    return made(lambda y: y + 1)(n) + made(abs)(n)


def test_a_function_that_a_helper_makes_is_called() -> None:
    """It calls no operator of its own, and has been compiled with the helper."""
    found = calls_what_a_helper_makes.run(np.array([-3, 0, 5], np.int64), jit=False).value
    np.testing.assert_array_equal(found, [1 + 3, 1 + 1, 6 + 5])


def powers_of_lengths(n):
    xs = []
    for k in range(n + 5):
        xs.append(k)
    m, c = len(xs), xs.count(3) + 6
    d = dict.fromkeys(xs, 1)
    cube = len(d) * m * m
    return (
        cube * cube * cube * cube,
        c * c * c * c * c * c * c * c * c * c * c * c,
        -m * m * cube * cube * cube,
    )


def test_products_of_lengths_and_counts_are_as_wide_as_other_integers() -> None:
    check(powers_of_lengths, np.arange(4), jit=False)


PRIZES = [100_000, 90_000]


def products_of_elements(n, x):
    pairs = [(PRIZES[n % 2], 0.1), (7, 0.7)]
    a, b = pairs[n % 2]
    m = [len(pairs * 5), PRIZES[n % 2]][n % 2]
    rows = ((0.1, 0.2), (0.3, x))
    return (
        TABLE[n % 2] * TABLE[n % 2],
        a * a,
        b * x,
        (0.1, 0.7)[n % 2],
        m * m * m,
        rows[n % 2][1] / 3,
    )


def test_an_element_of_a_list_of_numbers_has_all_digits() -> None:
    check(products_of_elements, np.arange(4), np.arange(4) / 7, jit=False)


def elements_of_several_kinds(n, x):
    return [1, n][n % 2], [0.1, n][n % 2], (3, 2.5)[n % 2] * x, [x, 2][n % 2], [True, n > 2][n % 2]


def test_elements_of_several_kinds_are_promoted() -> None:
    value = pcbatch.autobatch(elements_of_several_kinds, jit=False)(np.arange(4), np.arange(4) / 7)
    plain = [elements_of_several_kinds(n, n / 7) for n in range(4)]
    for part, column in zip(value, zip(*plain, strict=True), strict=True):
        np.testing.assert_array_equal(part, column)


def test_elements_of_numpys_keep_their_dtype() -> None:
    rows = [np.array([1, 2], np.int8), np.array([3, 4], np.int8)]
    value = pcbatch.autobatch(lambda n: rows[n % 2], jit=False)(np.arange(3))
    assert value.dtype == tf.int8
