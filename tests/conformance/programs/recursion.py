"""Recursion: single, double, nested, mutual, in tail position, and with structured results."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, ints
from tests.support.programs import fib


@pcbatch.autobatch
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


@pcbatch.autobatch
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@pcbatch.autobatch
def hofstadter_q(n):
    if n < 3:
        return 1
    return hofstadter_q(n - hofstadter_q(n - 1)) + hofstadter_q(n - hofstadter_q(n - 2))


@pcbatch.autobatch
def catalan(n):
    """Recursion inside a loop: the loop's counter and its sum must survive two calls."""
    total = 0
    if n <= 1:
        return 1
    for i in range(n):
        total += catalan(i) * catalan(n - 1 - i)
    return total


@pcbatch.autobatch
def hofstadter_g(n):
    if n == 0:
        return 0
    return n - hofstadter_g(hofstadter_g(n - 1))


@pcbatch.autobatch
def female(n):
    if n == 0:
        return 1
    return n - male(female(n - 1))


@pcbatch.autobatch
def male(n):
    if n == 0:
        return 0
    return n - female(male(n - 1))


@pcbatch.autobatch
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@pcbatch.autobatch
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@pcbatch.autobatch
def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


@pcbatch.autobatch
def tail_sum(n, total):
    if n == 0:
        return total
    return tail_sum(n - 1, total + n)


@pcbatch.autobatch
def tak(x, y, z):
    if y >= x:
        return z
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))


@pcbatch.autobatch
def mccarthy_91(n):
    if n > 100:
        return n - 10
    return mccarthy_91(mccarthy_91(n + 11))


@pcbatch.autobatch
def power_mod(base, exponent, modulus):
    if exponent == 0:
        return 1 % modulus
    half = power_mod(base, exponent // 2, modulus)
    square = half * half % modulus
    if exponent % 2 == 1:
        square = square * base % modulus
    return square


@pcbatch.autobatch
def matrix_power(matrix, n):
    if n == 0:
        return tf.eye(3)
    half = matrix_power(matrix, n // 2)
    square = tf.matmul(half, half)
    if n % 2 == 1:
        return tf.matmul(square, matrix)
    return square


@pcbatch.autobatch
def binomial(n, k):
    if k == 0 or k == n:
        return 1
    if k < 0 or k > n:
        return 0
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@pcbatch.autobatch
def partitions(n, largest):
    if n == 0:
        return 1
    if n < 0 or largest == 0:
        return 0
    with_largest = partitions(n - largest, largest)
    without = partitions(n, largest - 1)
    return with_largest + without


@pcbatch.autobatch
def fib_pair(n):
    """Fast doubling: `(F(n), F(n + 1))`."""
    if n == 0:
        return 0, 1
    a, b = fib_pair(n // 2)
    c = a * (2 * b - a)
    d = a * a + b * b
    if n % 2 == 0:
        return c, d
    return d, c + d


@pcbatch.autobatch
def digit_sum(n):
    if n < 10:
        return n
    return n % 10 + digit_sum(n // 10)


@pcbatch.autobatch
def zero_bits(n):
    """Three mutually recursive functions: the remainder of `n` modulo 3 by its binary digits."""
    if n == 0:
        return 0
    return one_state(n // 2) if n % 2 == 1 else zero_bits(n // 2)


@pcbatch.autobatch
def one_state(n):
    if n == 0:
        return 1
    return zero_bits(n // 2) if n % 2 == 1 else two_state(n // 2)


@pcbatch.autobatch
def two_state(n):
    if n == 0:
        return 2
    if n % 2 == 1:
        return two_state(n // 2)
    return one_state(n // 2)


@pcbatch.autobatch
def sum_over_children(n):
    """Recursion inside a loop, with the loop's state live across each call."""
    total = 1
    for child in range(1, n):
        if n % child == 0:
            total += sum_over_children(child) * child
    return total


@pcbatch.autobatch
def twice_recursive(n, depth):
    """Recursion as the only statement that changes a variable in a `while` loop."""
    while depth > 0:
        n = n + twice_recursive(n % 3, depth - 2)
        depth -= 1
    return n


_MATRICES = np.random.default_rng(1).normal(size=(8, 3, 3)).astype(np.float32) / 2

PROGRAMS = (
    Program("fib", fib, (np.arange(12, dtype=np.int32),), tags=("xla",)),
    Program("factorial", factorial, (np.arange(13, dtype=np.int32),)),
    Program(
        "ackermann",
        ackermann,
        (ints(0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 0, 2), ints(0, 5, 0, 1, 4, 0, 1, 3, 0, 1, 9, 2)),
        tags=("xla",),
    ),
    Program("hofstadter_q", hofstadter_q, (np.arange(1, 11, dtype=np.int32),)),
    Program(
        "catalan", catalan, (np.arange(8, dtype=np.int32)[[3, 0, 6, 1, 5, 2, 4, 3]],), tags=("xla",)
    ),
    Program("hofstadter_g", hofstadter_g, (np.arange(13, dtype=np.int32),)),
    Program("hofstadter_female", female, (np.arange(12, dtype=np.int32),), tags=("xla",)),
    Program("hofstadter_male", male, (np.arange(12, dtype=np.int32),)),
    Program("even_odd", is_even, (ints(0, 1, 2, 3, 10, 11, 24, 35),), tags=("xla",)),
    Program(
        "gcd_tail",
        gcd,
        (ints(0, 7, 0, 12, 18, 270, 1071, 1, 610), ints(0, 0, 9, 18, 12, 192, 462, 1, 377)),
    ),
    Program(
        "tail_1000_deep",
        tail_sum,
        (ints(0, 1, 2, 10, 100, 500, 999, 1000), ints(0, 0, 5, 0, -7, 0, 1, 0)),
        options={"max_stack_depth": 2},
        tags=("xla",),
    ),
    Program(
        "tak",
        tak,
        (ints(0, 3, 4, 5, 6, 5, 1, 6), ints(0, 2, 2, 3, 3, 4, 2, 4), ints(0, 1, 0, 1, 2, 2, 3, 2)),
    ),
    Program("mccarthy_91", mccarthy_91, (ints(85, 90, 95, 99, 100, 101, 102, 150),)),
    Program(
        "power_mod",
        power_mod,
        (
            ints(2, 3, 0, 5, 10, 7, 999, 1, 12),
            ints(10, 0, 0, 1, 31, 200, 12345, 7, 3),
            ints(1000, 7, 1, 3, 97, 13, 1000, 2, 5),
        ),
    ),
    Program(
        "matrix_power",
        matrix_power,
        (_MATRICES, ints(0, 1, 2, 3, 5, 8, 13, 6)),
        roundings=40,
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "binomial",
        binomial,
        (ints(0, 1, 5, 5, 6, 7, 8, 4, 3), ints(0, 0, 0, 5, 3, 2, 4, 6, -1)),
    ),
    Program("partitions", partitions, (ints(0, 1, 2, 5, 6, 7, 8, 3), ints(0, 1, 2, 5, 3, 7, 4, 9))),
    Program("fib_pair", fib_pair, (ints(0, 1, 2, 3, 10, 17, 30, 45),)),
    Program(
        "digit_sum_int64",
        digit_sum,
        (np.array([0, 9, 10, 19, 12345678901, 99999999999, 7, 10**15], np.int64),),
    ),
    Program("three_way_mutual", zero_bits, (ints(0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 1000, 12345),)),
    Program(
        "recursion_in_loop",
        sum_over_children,
        (ints(0, 1, 2, 3, 4, 6, 8, 12, 13),),
        tags=("xla",),
    ),
    Program(
        "recursion_in_while",
        twice_recursive,
        (ints(0, 1, 2, 3, 4, 5, 6, 7), ints(0, -1, 1, 2, 3, 4, 5, 6)),
    ),
)
