"""Numbers as textbooks take them apart: digits, bits, places, parts, types."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.semantics import builtin_functions, texts
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check


@pcbatch.autobatch
def digits(n, m):
    s = str(n)
    total = 0
    for c in s:
        total += int(c)
    power = 0
    while n > 0:
        power += (n % 10) ** len(s)
        n //= 10
    palindrome = s == s[::-1]
    ends = int(s[0]) - int(s[-1])
    backward = int(s[::-1]) if len(s) < 9 else -1
    bits = bin(m)
    texts_of = bits[2:] == bits[2:][::-1], "7" in s, s[0] in "123", s < "5", s.count("1")
    longer = int(s + "1") if len(s) < 6 else 0
    return total, power, palindrome, ends, backward, bits.count("1"), len(bits), texts_of, longer


@pcbatch.autobatch
def parts(x, m):
    whole = m.bit_length(), m.bit_count(), m.imag, m.numerator, abs(-m), divmod(m, 7), round(m, -2)
    powers = pow(m, 5, 7), pow(m, -1, 11) if m % 11 else 0
    return whole, powers, x.is_integer(), round(x, 2), round(x, 2).real, (x < 2).real


@pcbatch.autobatch
def guards(n, x, flag, v):
    if not isinstance(n, int) or isinstance(n, bool) or not isinstance(flag, (int, bool)):
        raise TypeError("n must be an integer")
    if not isinstance(x, int | float) or isinstance(v, (int, float)) or type(x) is int:
        raise TypeError("x must be a number")
    if type(n) != int or type(x) not in (float, complex) or not isinstance(v, np.ndarray):  # noqa: E721
        raise TypeError("of another type")
    if n is None or n is True or type(n).__name__ != "int" or not isinstance(flag, int):
        raise ValueError("not a number")
    rounds, done = 0, flag
    while done is False:
        rounds += 1
        done = rounds > n
    if (n > 3) is True:
        rounds += 100
    return rounds + 1000 if flag is not False else rounds


N = np.array([0, 7, 121, 98761, 100020003], np.int32)
M = np.array([5, 99, 250, 350, -150], np.int64)
X = np.array([2.675, 1.0, -0.5, 1e20, 12.345])


@pytest.mark.every(6)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_digits(options):
    check(digits, N, M, **options)


@pytest.mark.every(6)
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_parts_of_numbers(options):
    check(parts, X, M, **options)


@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_guards_are_decided_from_types(options):
    flags = np.array([True, False, False, False, True])
    check(guards, N % 10, X, flags, np.ones([5, 2]), **options)


def test_a_guard_on_a_value_stops_one_member():
    @pcbatch.autobatch
    def root(n):
        """Refuse negative numbers, as textbooks do."""
        if not isinstance(n, int):
            raise TypeError("n must be an integer")
        if n < 0:
            raise ValueError("n must not be negative")
        return n // 2

    result = root.run(np.array([4, -1, 9]), strategy="local")
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])


def test_a_guard_on_the_type_refuses_the_program_where_every_member_fails():
    @pcbatch.autobatch
    def root(n):
        if not isinstance(n, int):
            raise TypeError("n must be an integer")
        return n // 2

    with pytest.raises(pcbatch.ProgramError):
        root(np.array([4.0]))


def test_texts_of_extreme_numbers():
    for dtype in (tf.int8, tf.uint8, tf.int32, tf.int64, tf.uint64):
        for n in (0, 1, 9, 10, 99, 100, dtype.min, dtype.min + 1, dtype.max):
            for base, function in ((2, bin), (8, oct), (10, str), (16, hex)):
                text = texts.of_integer(tf.constant(n, dtype), base)
                codes = text.codes.numpy()[: int(text.length)]
                assert "".join(map(chr, codes)) == function(n)
            assert (
                dtype.max > 2**63
                or int(texts.to_integer(texts.of_integer(tf.constant(n, dtype)))) == n
            )


def test_slices_of_texts_are_pythons():
    text, plain = texts.of_integer(tf.constant(1234567)), "1234567"
    for start in (None, 0, 2, -3, 9, -9):
        for stop in (None, 0, 4, -2, 9, -9):
            for step in (None, 1, 2, -1, -3):
                assert bool(text[start:stop:step] == plain[start:stop:step]), (start, stop, step)


@pytest.mark.thorough
def test_places_are_rounded_as_python_does():
    generator = random.Random(1)
    numbers = [2.675, 0.5, 1.5, 2.5, 1250.0, -0.125, 1e22, 5e15 + 0.5, 0.15, 1.005, float("inf")]
    numbers += [round(generator.uniform(-100, 100), generator.randrange(5)) for _ in range(100)]
    for x in numbers:
        for places in (0, 1, 2, 5, -1, -2, -30):
            ours = builtin_functions.builtin(round, tf.constant(x, tf.float64), places)
            assert float(ours) == round(x, places), (x, places)
    for n in (1250, 1350, -1250, -1249, 49, 50, 51, 7):
        for places in (0, 3, -1, -2, -12):
            assert int(builtin_functions.builtin(round, tf.constant(n), places)) == round(n, places)
