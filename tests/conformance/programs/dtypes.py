"""Dtypes: wide integers, doubles, booleans, casts, and integers that wrap around."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, doubles, floats, ints


@pcbatch.autobatch
def factorial_int64(n):
    result = n * 0 + 1
    for k in range(2, n + 1):
        result *= k
    return result


@pcbatch.autobatch
def parity(bits):
    """Booleans in, a boolean out, by exclusive or."""
    odd = False
    for i in range(5):
        if bits[i]:
            odd = not odd
    return odd


@pcbatch.autobatch
def boolean_logic(a, b):
    both = a and b
    either = a or b
    if a != b:
        return both, either, a == (not b), a ^ b
    return a & b, a | b, not a, a is None


@pcbatch.autobatch
def linear_congruential(state, n):
    """Multiplication that wraps around in 32 bits."""
    for _ in range(n):
        state = state * 1103515245 + 12345
    return state


@pcbatch.autobatch
def casts(x, n):
    count = tf.cast(x, tf.int32) + n
    while count > 3:
        count -= 2
        x = x + tf.cast(count, tf.float32) / 4
    return x, count, tf.cast(n, tf.float64) * 0.1


@pcbatch.autobatch
def mixed_widths(n, x):
    """An int64 counter beside a float64 accumulator and an int32 weak literal."""
    i, odd = 0, 0
    while i < n:
        x = x * 2 if i % 2 == 0 else x - 0.5
        odd += i % 2
        i += 1
    return x, odd, i


@pcbatch.autobatch
def special_values(x):
    """NaN and infinities take the branches that Python would take."""
    if x != x:
        return -1
    if x > 1e30:
        return 1
    if -x > 1e30:
        return 2
    return 0 if x < 1 else 3


@pcbatch.autobatch
def member_dependent_junk(a, b):
    """An inactive member must not see the division that its guard rules out."""
    total = 0
    while b >= 0:
        if b > 0:
            total += a // b
        b -= 1
    return total


@pcbatch.autobatch
def powers_of_two(n):
    """Integers of every width, negative ones too, are divided as Python divides them."""
    total = n % 1
    while n > 3 or n + 3 < 0:
        total += n % 8 + n // 64
        n //= 2
    return total, n // 1, n % 64, n // 2, n & ~2


@pcbatch.autobatch
def beyond_the_dtype(n):
    """A comparison with an integer that the dtype does not hold is what it is in Python."""
    steps = 0
    while n > 300 or n < -200 or (n != 1000 and steps < n % 8):
        steps += 1
    if n in (-300, 300) or n == -129:
        return steps, 1
    if n in range(-1000, 1000, 2) or 1000 in (n, 3):
        return steps, 2
    return steps, 3 if n in range(1000, -1000, -1) else 4


@pcbatch.autobatch
def rows_beyond_the_dtype(v):
    """Such comparisons of a tensor, element by element."""
    count = 0
    while tf.reduce_all(v > -1) and tf.reduce_any(v < 9) and tf.reduce_all(300 != v):
        v = v * 2 + 1
        count += 1
    return count, v


EXTREMES = [0, 1, -1, 63, 64, -64, -65, 127, -128, 5]
BYTES = [0, 1, 2, 63, 64, 65, 127, 128, 200, 255]

PROGRAMS = (
    Program("beyond_int8", beyond_the_dtype, (np.array(EXTREMES, np.int8),)),
    Program("beyond_uint8", beyond_the_dtype, (np.array(BYTES, np.uint8),), tags=("xla",)),
    Program(
        "rows_beyond_uint8",
        rows_beyond_the_dtype,
        (np.array(list(zip(BYTES, BYTES[3:] + BYTES[:3], BYTES[::-1], strict=True)), np.uint8),),
    ),
    Program("powers_of_two_int8", powers_of_two, (np.array(EXTREMES, np.int8),), plain="tensor"),
    Program("powers_of_two_uint8", powers_of_two, (np.array(BYTES, np.uint8),), plain="tensor"),
    Program(
        "powers_of_two_int64",
        powers_of_two,
        (np.array([*EXTREMES, 2**63 - 1, -(2**63), 2**40 + 77], np.int64),),
        tags=("xla",),
    ),
    Program(
        "factorial_int64", factorial_int64, (np.array([0, 1, 2, 5, 10, 15, 20, -3], np.int64),)
    ),
    Program(
        "parity_bool", parity, (np.random.default_rng(8).integers(0, 2, size=(9, 5)).astype(bool),)
    ),
    Program(
        "boolean_logic",
        boolean_logic,
        (np.array([0, 0, 1, 1, 0, 1, 0, 1], bool), np.array([0, 1, 0, 1, 1, 1, 0, 0], bool)),
    ),
    Program(
        "wrapping_int32",
        linear_congruential,
        (ints(0, 1, 42, -7, 2**31 - 1, 5, 6, 7), ints(0, 1, 2, 3, 4, 10, 20, 7)),
        plain="tensor",
    ),
    Program(
        "casts",
        casts,
        (floats(0, 1.5, -2.5, 7.75, 3, 2, 100, 0.5), ints(0, 1, 5, 2, -3, 4, -80, 3)),
        roundings=20,
        plain="tensor",
        tags=("xla",),
    ),
    Program(
        "mixed_widths",
        mixed_widths,
        (np.array([0, 1, 2, 3, 5, 8, -1, 20], np.int64), doubles(0, 1, -1, 0.1, 2.5, 7, 9, 1e-3)),
        roundings=20,
        tags=("xla",),
    ),
    Program(
        "special_values", special_values, (floats(np.nan, np.inf, -np.inf, 0, -0.0, 1, 0.5, 1e31),)
    ),
    Program(
        "guarded_division",
        member_dependent_junk,
        (ints(0, 1, 10, 100, -7, 9, 12, 5), ints(-1, 0, 1, 5, 3, 2, 4, 7)),
        tags=("xla",),
    ),
)
