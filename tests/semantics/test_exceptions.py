"""Where Python raises for a member, that member stops with the exception; the others go on."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ArgumentError
from tests.support.members import arguments_of
from tests.support.tolerances import Tolerance, assert_close

WAYS: dict[str, dict[str, Any]] = {
    "pc": {},
    "switch": {"jit": False, "schedule": "switch"},
    "eager": {"jit": False},
    "local": {"strategy": "local"},
    "hybrid": {"strategy": "hybrid"},
    "loop": {"strategy": "loop"},
}


def messages(result: pcbatch.Result) -> list[str]:
    """The message of each member; empty where it has returned."""
    return [result.faults[s].message if s else "" for s in result.status.numpy().tolist()]


def python(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """What plain Python says of a call, on numbers and NumPy's arrays, and what it gives."""
    try:
        return "", function(*args)
    except Exception as error:  # whatever Python raises is what is to be compared
        return f"{type(error).__name__}: {error}", None


# --- Divisions, shifts and conversions ------------------------------------------------------------


def real(x):
    return tf.cast(x, tf.float64)


@pcbatch.autobatch
def arithmetic(kind, n, m, x, y):
    """Each kind does something that Python cannot always do."""
    if kind == 0:
        return real(n // m)
    if kind == 1:
        return real(n % m)
    if kind == 2:
        return x / y
    if kind == 3:
        return real(n / m)
    if kind == 4:
        return x // y
    if kind == 5:
        return x % y
    if kind == 6:
        quotient, rest = divmod(n, m)
        return real(quotient) + real(rest)
    if kind == 7:
        return real(int(x))
    if kind == 8:
        return real(round(x))
    if kind == 9:
        return real(n << m)
    if kind == 10:
        return real(n >> m)
    if kind == 11:
        return x**y
    if kind == 12:
        return real(1.0 / m)
    for _ in range(0, n, m):
        x += 1.0
    return x


KINDS = 14
_VALUES = [(7, 2, 7.5, 2.0), (7, 0, 0.0, 0.0), (-7, -2, 2.5, 0.0), (5, 0, np.nan, 1.0),
           (6, -1, np.inf, 3.0), (1, 1, 0.0, -1.0), (4, 3, -np.inf, 0.5)]  # fmt: skip
_ROWS = [(kind, *values) for kind in range(KINDS) for values in _VALUES]
ARITHMETIC = tuple(
    np.array(column, dtype)
    for column, dtype in zip(
        zip(*_ROWS, strict=True), ("int32", "int32", "int32", "float64", "float64"), strict=True
    )
)


@pytest.mark.every(6)
@pytest.mark.parametrize("way", WAYS)
def test_numbers_raise_as_in_python(way):
    result = arithmetic.run(*ARITHMETIC, **WAYS[way])
    said = messages(result)
    for member, row in enumerate(_ROWS):
        expected, value = python(arithmetic.single, *arguments_of(ARITHMETIC, member))
        assert said[member] == expected, row
        if not expected and np.isfinite(row[3]):  # Quotients of infinity are another matter.
            assert_close(result.value[member], value, Tolerance(1e-6), str(row))


def test_the_line_is_the_first_that_raises():
    lines, first = inspect.getsourcelines(arithmetic._function)
    result = arithmetic.run(*ARITHMETIC)
    for member, (kind, n, m, x, y) in enumerate(_ROWS):
        if kind == 0 and m == 0:
            fault = result.faults[int(result.status[member])]
            assert lines[fault.span.line - first].strip() == "return real(n // m)"


# --- Indices --------------------------------------------------------------------------------------


@pcbatch.autobatch
def places(kind, i, j, vector, matrix):
    """Each kind reads or writes somewhere."""
    buffer = pcbatch.buffer(3, like=0)
    triple = (1, i, 3)
    values = [j, 2]
    if kind == 0:
        return vector[i]
    if kind == 1:
        return matrix[i, j]
    if kind == 2:
        return matrix[i][j]
    if kind == 3:
        return triple[j]
    if kind == 4:
        return values[i]
    if kind == 5:
        buffer[i] = 7
        return buffer[0] + 2 * buffer[1] + 3 * buffer[2]
    if kind == 6:
        buffer[i] += 7
        return buffer[j]
    if kind == 7:
        return vector[i + j]
    if kind == 8:
        return matrix[1, j]
    total = 0
    for k in range(i):
        total += vector[k]
    return total


_PLACES = [
    (kind, i, j) for kind in range(10) for i in (-4, -3, -1, 0, 2, 3) for j in (-3, -1, 1, 3)
]


def _indices() -> tuple[np.ndarray, ...]:
    size = len(_PLACES)
    vector = np.array([10, 20, 30], np.int32) + np.arange(size, dtype=np.int32)[:, None]
    matrix = np.arange(6, dtype=np.int32).reshape(3, 2) + np.zeros((size, 1, 1), np.int32)
    kind, i, j = np.array(_PLACES, np.int32).T
    return kind, i, j, vector, matrix


@pytest.mark.every(6)
@pytest.mark.parametrize("way", WAYS)
def test_indices_raise_as_in_python(way):
    args = _indices()
    result = places.run(*args, **WAYS[way])
    said = messages(result)
    for member, row in enumerate(_PLACES):
        expected, value = python(places.single, *arguments_of(args, member))
        name, _, text = said[member].partition(": ")
        assert name == expected.partition(": ")[0], (row, said[member], expected)
        if "sequence" in text or "tuple" in text or "list" in text:
            assert said[member] == expected
        elif text:  # The number itself is the text of its expression.
            before, _, after = text.partition("{")
            assert expected.partition(": ")[2].startswith(before)
            assert expected.endswith(after.partition("}")[2])
        if not expected:
            assert int(result.value[member]) == int(value), row


@pcbatch.autobatch
def chosen(places, row):
    return tf.reduce_sum(row[places])


def test_an_array_of_indices_has_to_be_in_range():
    places = np.array([[0, 1], [2, -3], [1, 3], [-4, 0]])
    result = chosen.run(places, np.arange(12.0).reshape(4, 3))
    said = "IndexError: index {places} is out of bounds for axis 0 with size 3"
    assert messages(result) == ["", "", said, said]


# --- Who is not concerned -------------------------------------------------------------------------


@pcbatch.autobatch
def arrays(numbers, floats):
    """Arrays have NumPy's meaning: no exceptions but for indices."""
    return numbers // (numbers - 1), numbers % (numbers - 1), floats / (floats - 1.0)


@pytest.mark.parametrize("way", WAYS)
def test_arrays_have_numpys_meaning(way):
    numbers, floats = np.array([[0, 1, 5]], np.int32), np.array([[0.0, 1.0, 5.0]])
    result = arrays.run(numbers, floats, **WAYS[way])
    assert messages(result) == [""]
    with np.errstate(all="ignore"):
        expected = numbers // (numbers - 1), numbers % (numbers - 1), floats / (floats - 1.0)
    for got, want in zip(result.value, expected, strict=True):
        np.testing.assert_array_equal(got, want)


@pcbatch.autobatch
def of_tensorflow(x, i, row):
    return (
        tf.divide(x, 0.0),
        tf.gather(row, tf.clip_by_value(i, 0, 2)),
        tf.math.divide_no_nan(x, 0.0),
    )


@pytest.mark.parametrize("way", ["pc", "local", "loop"])
def test_functions_of_tensorflow_keep_their_meaning(way):
    row = np.arange(3.0, dtype=np.float32)[None]
    result = of_tensorflow.run(np.array([2.0], np.float32), np.array([7]), row, **WAYS[way])
    assert messages(result) == [""]
    assert np.isinf(result.value[0][0])


# --- In loops, recursion and parts of a turn ------------------------------------------------------


@pcbatch.autobatch
def walk(n, row):
    """Sum elements, in a loop of one block, until the row is over."""
    total = 0
    k = 0
    while k < n:
        total += row[k]
        k += 1
    return total


@pcbatch.autobatch
def descend(n, m):
    """Recurse, and fail on the way back."""
    if n == 0:
        return 12 // m
    return descend(n - 1, m) + 12 // (n - m)


@pytest.mark.every(2)
@pytest.mark.parametrize("way", [*WAYS, "crowd", "unoptimized"])
def test_a_member_fails_in_the_middle_of_a_loop(way):
    size = 1000 if way == "crowd" else 8
    n = (np.arange(size) % 6).astype(np.int32)
    row = np.tile(np.array([1, 2, 4], np.int32), (size, 1))
    if way == "unoptimized":
        result = walk.lower(n, row).compile(without=pcbatch.OPTIMIZATIONS, jit=False).run(n, row)
    else:
        result = walk.run(n, row, **WAYS.get(way, {}))
    ends = n > 3
    np.testing.assert_array_equal(result.status.numpy() > 0, ends)
    np.testing.assert_array_equal(result.value.numpy()[~ends], (2**n - 1)[~ends])


@pytest.mark.every(3)
@pytest.mark.parametrize("way", [*WAYS, "crowd"])
def test_a_member_fails_in_a_recursion(way):
    size = 1000 if way == "crowd" else 12
    n, m = (np.arange(size) % 4).astype(np.int32), (np.arange(size) % 3).astype(np.int32)
    result = descend.run(n, m, **WAYS.get(way, {}))
    said = messages(result)
    for member in range(min(size, 12)):
        expected, value = python(descend.single, int(n[member]), int(m[member]))
        assert said[member] == expected
        assert expected or int(result.value[member]) == value
    assert said == [said[k % 12] for k in range(size)]


@pcbatch.autobatch
def two_at_once(a, b, row):
    """The first of several exceptions of one block is the member's."""
    x = 10 // a
    y = row[b]
    return x + y + 10 % (a - 1)


@pytest.mark.parametrize("way", WAYS)
def test_the_first_exception_of_a_block_counts(way):
    a, b = np.array([[2, 0, 0, 2, 1, 1], [0, 0, 9, 9, 0, 9]], np.int32)
    result = two_at_once.run(a, b, np.zeros((6, 3), np.int32), **WAYS[way])
    division = "ZeroDivisionError: integer division or modulo by zero"
    index = "IndexError: index {b} is out of bounds for axis 0 with size 3"
    remainder = python(lambda: 1 % 0)[0]
    assert messages(result) == ["", division, division, index, remainder, index]


@pcbatch.autobatch
def spins_on_junk(n):
    """What follows a failure in its block must not run on what it has left behind."""
    step = 12 // n
    count = tf.while_loop(lambda k: k < 40, lambda k: (k + tf.where(n == 0, 0, step),), (0,))[0]
    return count


@pytest.mark.every(2)
@pytest.mark.parametrize("way", WAYS)
def test_a_loop_of_tensorflow_behind_a_failure_ends(way):
    result = spins_on_junk.run(np.array([3, 0, 12], np.int32), **WAYS[way])
    assert [bool(s) for s in result.status] == [False, True, False]
    assert result.value.numpy()[[0, 2]].tolist() == [40, 40]


# --- Checks that cannot fail ----------------------------------------------------------------------


@pcbatch.autobatch
def proved(n, row):
    """Nothing here can raise, and inference of ranges sees it."""
    buffer = pcbatch.buffer(10, like=0)
    total = row[n % 10] + row[n & 7] + n // 3
    for i in range(10):
        buffer[i] = row[i] + row[9 - i]
        for j in range(i):
            total += row[j] * buffer[i - j]
    while n > 0:
        total += 100 // n
        n -= 1
    low, high = 0, len(row)
    while low < high:
        middle = (low + high) // 2
        if row[middle] < total:
            low = middle + 1
        else:
            high = middle
    return low + (1 if n == 0 else 7 // n)


def test_checks_that_cannot_fail_are_left_out():
    row = np.tile(np.arange(10, dtype=np.int32), (3, 1))
    lowered = proved.lower(np.array([3, 0, -4], np.int32), row)
    assert " check " in lowered.as_text("typed")
    assert " check " not in lowered.as_text(lowered.stages[-1])


def test_checks_can_be_left_out():
    n = np.array([3, 12], np.int32)
    row = np.zeros((2, 3), np.int32)
    assert not walk.run(n, row, checks=False).status.numpy().any()
    assert walk.run(n, row).status.numpy().astype(bool).tolist() == [False, True]
    assert " check " not in pcbatch.autobatch(walk._function, checks=False).lower(n, row).as_text()


def test_an_unknown_mode_is_refused():
    with pytest.raises(ArgumentError, match="checks is 'some': True, False or \"overflow\""):
        pcbatch.autobatch(walk._function, checks="some")


@dataclasses.dataclass(frozen=True)
class Number:
    value: Any


@pcbatch.autobatch
def reciprocal(x):
    return Number(1.0 / x.value)


def test_values_of_a_structure_raise_too():
    result = reciprocal.run(Number(np.array([2.0, 0.0])))
    assert messages(result) == ["", "ZeroDivisionError: float division by zero"]


# --- Integers that do not fit ---------------------------------------------------------------------


@pcbatch.autobatch(checks="overflow")
def integers(kind, a, b):
    """Each kind computes with integers that may not fit."""
    if kind == 0:
        return a + b
    if kind == 1:
        return a - b
    if kind == 2:
        return a * b
    if kind == 3:
        return a ** tf.abs(b % 8)
    if kind == 4:
        return a << (b % 40)
    if kind == 5:
        return -a
    if kind == 6:
        return abs(a)
    return a // b


def _exact(kind, a, b):
    """What Python gives for a kind."""
    kinds = (
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a ** abs(b % 8),
        lambda: a << (b % 40), lambda: -a, lambda: abs(a), lambda: a // b,
    )  # fmt: skip
    return kinds[kind]()


@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_integers_that_do_not_fit_stop_their_member(dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    odd = sorted(
        {least, least // 2, least // 3, max(least, -1), 1, 2, 3, 7, most // 3, most // 2 + 1, most}
    )
    rows = [(k, a, b) for k in range(8) for a in odd for b in odd if b]
    kind, a, b = (np.array(column) for column in zip(*rows, strict=True))
    with_dtype = kind.astype(np.int32), a.astype(dtype), b.astype(dtype)
    result = integers.run(*with_dtype, jit=False)
    for row, status, value in zip(rows, result.status.numpy(), result.value.numpy(), strict=True):
        exact = _exact(*row)
        assert bool(status) == (not least <= exact <= most), (row, exact)
        assert status or int(value) == exact, row


def test_an_overflow_is_said_with_its_operation():
    result = integers.run(np.array([0, 2], np.int32), *np.full((2, 2), 2**31 - 1, np.int32))
    assert messages(result) == [
        f"OverflowError: the result of `{symbol}` does not fit in int32" for symbol in "+*"
    ]
    plain = integers.run(
        np.array([0], np.int32), *np.full((2, 1), 2**31 - 1, np.int32), checks=True
    )
    assert plain.value.numpy().tolist() == [-2]


@pcbatch.autobatch(checks="overflow")
def small_sums(row):
    total = 0
    for i in range(10):
        total = (total + i * (row[i] & 255)) % 1000 - 1
    return total


def test_sums_that_fit_need_no_check():
    lowered = small_sums.lower(np.zeros((2, 10), np.int32))
    assert " check " in lowered.as_text("typed")
    assert " check " not in lowered.as_text(lowered.stages[-1])


# --- What found random programs ------------------------------------------------------------------


@pcbatch.autobatch
def wide(kind, k, x):
    """Places that no list has, as they need more than 32 bits, and what is known beforehand."""
    xs = [5, -2, 7]
    if kind == 0:
        return x + xs[k]
    if kind == 1:
        xs[k] = 1
        return x + sum(xs)
    if kind == 2:
        return x + xs.pop(k)
    if kind == 3:
        xs.insert(k, 1)
        return x + xs[0] + 2 * xs[-1]
    if kind == 4:
        return x + sum(xs[k:]) + 100 * sum(xs[:k]) + 10_000 * sum(xs[::k])
    if kind == 5:
        return x + ord(str(1234 + kind)[k])
    if kind == 6:
        return x + [][k]
    if kind == 7:
        return x + (k >> -1)
    xs = [bin(k).count("1"), k % 9]
    xs.sort()
    return x + xs[0]


@pytest.mark.every(3)
@pytest.mark.parametrize("how", [WAYS["eager"], WAYS["local"], WAYS["pc"]], ids=str)
def test_places_are_as_wide_as_the_members_integers(how: dict[str, Any]) -> None:
    places = [1, -3, 3, 2**32 + 1, 2**61, -(2**32), -(2**63)]
    args = tuple(np.array([(k, p, 1.0) for k in range(9) for p in places], object).T)
    args = (args[0].astype(np.int64), args[1].astype(np.int64), args[2].astype(np.float64))
    result = wide.run(*args, **how)
    for i, message in enumerate(messages(result)):
        said, value = python(wide._function, *arguments_of(args, i))
        assert message == said, arguments_of(args, i)
        assert said or result.value[i].numpy() == value


def test_a_negative_zero_is_not_the_zero_that_was_there_before() -> None:
    @pcbatch.autobatch
    def zeros(x):
        y = -0.0
        return 0.0, y, x * 0.0 - 0.0, x

    for how in (WAYS["eager"], WAYS["loop"]):
        found = zeros.run(np.array([1.0, -0.0]), **how).value
        assert [np.signbit(z).tolist() for z in found] == [[z] * 2 for z in (False, True)] + [
            [False, True],
            [False, True],
        ]
