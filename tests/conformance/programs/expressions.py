"""Expressions: short circuits, chains, conditionals, evaluation order, callables as values."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, floats, ints


@pcbatch.autobatch
def guarded_scan(xs, n):
    """The guard keeps the index in bounds."""
    i = 0
    while i < n and xs[i] > 0:
        i += 1
    return i


@pcbatch.autobatch
def guarded_or(xs, i):
    if i >= len(xs) or xs[i] == 0 or not xs[i] < 5:
        return -1
    return 100 // xs[i]


@pcbatch.autobatch
def apply_twice(f, x):
    return f(f(x))


@pcbatch.autobatch
def nested_functions(x, k):
    """Nested functions that branch, recurse, capture, and are passed on."""

    def clip(v):
        if v > k:
            return k
        return v

    def factorial(n):
        return 1 if n <= 0 else n * factorial(n - 1)

    low = clip(x * 2) + factorial(clip(x))
    return low, apply_twice(lambda v: v + k, x), apply_twice(factorial, 3)


@pcbatch.autobatch
def square_below(n):
    return n * n - 10


@pcbatch.autobatch
def chained(n):
    """The middle of a chain is evaluated once, and the rest only where needed."""
    inside = 0 <= square_below(n) < 30
    ordered = -3 < n <= 2 != n < 10
    return inside, ordered, 1 if 0 < n < 5 > n - 2 else 0


@pcbatch.autobatch
def nested_conditional(a, b, c):
    largest = a if a > b and a > c else b if b > c else c
    return (largest if largest % 2 == 0 else -largest) + (1 if a == b == c else 0)


@pcbatch.autobatch
def value_or(n):
    """`or` and `and` return one of their operands."""
    first = n % 3 or n % 5 or 7
    second = n % 2 and n % 3 and n % 7
    return first, second


@pcbatch.autobatch
def tick(log, x):
    log[0] = (log[0] * 3 + x) % 1009
    return log[0]


@pcbatch.autobatch
def evaluation_order(a, b):
    """Calls in the middle of expressions happen from left to right, each exactly once."""
    log = pcbatch.buffer(1, like=a)
    x = tick(log, a) - tick(log, b) * tick(log, a + b)
    y = (tick(log, x % 5), tick(log, 2)) if tick(log, 1) > tick(log, b) else (0, tick(log, 3))
    z = tick(log, 4) < tick(log, 5) < tick(log, 6)
    return x, y, z, log[0]


@pcbatch.autobatch
def weighted(x, scale=3, *, shift=1):
    return x * scale + shift


@pcbatch.autobatch
def keywords(n, bonus=5):
    a = weighted(n)
    b = weighted(n, 2)
    c = weighted(shift=n, x=a)
    d = weighted(b, shift=bonus, scale=n)
    return a + 10 * b + 100 * c + d


@pcbatch.autobatch
def walrus(n):
    total = 0
    while (digit := n % 10) != 0:
        total = total * 2 + digit
        n //= 10
    return total, digit


@pcbatch.autobatch
def halve(x):
    return x // 2


@pcbatch.autobatch
def triple_plus(x):
    if x > 40:
        return x - 40
    return 3 * x + 1


@pcbatch.autobatch(static_argnames=("step",))
def iterate(x, n, step):
    if n == 0:
        return x
    return iterate(step(x), n - 1, step=step)


@pcbatch.autobatch
def two_steps(x, n):
    """The same function specialized for two callees in one program."""
    return iterate(x, n, step=halve) + 100 * iterate(x, n, step=triple_plus)


@pcbatch.autobatch
def lambdas(n, k):
    scale = lambda x: x * k  # noqa: E731

    def shifted(x, by=2):
        return x + by + n

    if n > 2:
        return scale(shifted(n))
    return shifted(scale(n), by=k)


def make_counter(modulus, increments):
    """A closure over Python constants."""

    @pcbatch.autobatch
    def counter(n):
        total = 0
        for i in range(n):
            total += increments[0] if i % modulus == 0 else increments[1]
        return total

    return counter


def make_recursive(limit):
    """A recursive function that is a local variable of its factory."""

    @pcbatch.autobatch
    def grow(n):
        return n if n >= limit else grow(2 * n + 1) - 1

    return grow


class Affine:
    """An object whose numbers are static and whose method is autobatched."""

    def __init__(self, slope, offset):
        self.slope = slope
        self.offset = offset

    @pcbatch.autobatch
    def apply(self, x, times):
        for _ in range(times):
            x = self.slope * x + self.offset
            if x > 1000:
                return -x
        return x


_AFFINE = Affine(3, 7)


@pcbatch.autobatch
def method_call(x, times):
    return _AFFINE.apply(x, times) + _AFFINE.offset


@pcbatch.autobatch
def python_numbers(n):
    """Integer division and remainder round towards minus infinity, as Python's do."""
    quotient, remainder = divmod(n, 7)
    return n // 4, n % 4, -n // 3, -n % 3, quotient, remainder, abs(n), min(n, 3), max(n, -3, 2)


@pcbatch.autobatch
def bit_operations(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1


@pcbatch.autobatch
def augmented(n):
    x = n
    x += 5
    x *= 3
    x -= n
    x //= 2
    x %= 50
    x: int = x + 1
    x <<= 1
    x |= 1
    return x


@pcbatch.autobatch
def float_operations(x, y):
    """One expression per operator on floats; literals take the tensor's dtype."""
    safe = y if abs(y) > 0.5 else 1.0
    return x + 1, 2 * x - y, x / safe, x**2, -x, x * 0.5 > y, tf.sqrt(abs(x)) + 1


@pcbatch.autobatch
def not_of_calls(n):
    if not is_small(n) and not (n % 2 == 0 and is_small(n - 100)):
        return 1
    return 2 if not not is_small(n) else 3


@pcbatch.autobatch
def is_small(n):
    return -10 < n < 10


_XS = np.array(
    [
        [1, 2, 3, 4],
        [0, 1, 1, 1],
        [1, 0, 5, 5],
        [3, 3, 3, -1],
        [9, 9, 9, 9],
        [-4, 2, 2, 2],
        [7, 7, 0, 7],
        [1, 1, 1, 0],
    ],
    np.int32,
)

PROGRAMS = (
    Program("guarded_scan", guarded_scan, (_XS, ints(4, 4, 4, 4, 2, 4, 0, 3)), tags=("xla",)),
    Program("guarded_or", guarded_or, (_XS, ints(0, 0, 9, 3, 1, 0, 4, 2))),
    Program("chained_comparison", chained, (ints(-7, -4, -3, 0, 2, 3, 5, 6, 7),)),
    Program(
        "conditional_expressions",
        nested_conditional,
        (
            ints(1, 3, 2, 5, 0, 2, 9, -1),
            ints(2, 2, 3, 5, 0, 2, 1, -1),
            ints(3, 1, 2, 4, 0, 2, 4, -1),
        ),
    ),
    Program("value_of_or_and", value_or, (ints(0, 1, 2, 3, 5, 6, 15, 30, 42, 7),)),
    Program(
        "evaluation_order",
        evaluation_order,
        (ints(0, 1, 2, 3, 50, 7, 9, 100), ints(0, 2, 1, 5, 3, 7, 0, 41)),
        plain="tensor",
        tags=("xla",),
    ),
    Program("keywords_and_defaults", keywords, (ints(0, 1, 2, 3, -4, 5, 6, 10),)),
    Program("walrus", walrus, (ints(0, 5, 10, 12, 123, 907, 9999, 20),)),
    Program(
        "static_function_argument",
        iterate,
        (ints(0, 1, 5, 7, 100, 64, 41, 3), ints(0, 1, 2, 3, 4, 5, 6, 0)),
        static={"step": halve},
    ),
    Program(
        "two_static_functions",
        two_steps,
        (ints(0, 1, 5, 7, 100, 64, 41, 3), ints(0, 1, 2, 3, 4, 5, 6, 0)),
    ),
    Program(
        "nested_def_and_lambda",
        lambdas,
        (ints(0, 1, 2, 3, 4, 5, -6, 7), ints(1, 2, 3, 4, 5, 6, 7, -8)),
    ),
    Program(
        "nested_functions",
        nested_functions,
        (ints(0, 1, 2, 3, 4, 5, -6, 7), ints(1, 2, 3, 4, 5, 6, 7, 3)),
        tags=("xla",),
    ),
    Program("closure_constants", make_counter(3, (10, -1)), (ints(0, 1, 2, 3, 4, 7, 11, -5),)),
    Program("closure_recursion", make_recursive(40), (ints(0, 1, 2, 3, 17, 40, 41, 39),)),
    Program(
        "method_call",
        method_call,
        (ints(0, 1, -2, 5, 100, 7, -50, 3), ints(0, 1, 2, 5, 9, 4, 6, -1)),
    ),
    Program("python_numbers", python_numbers, (ints(0, 1, -1, 6, 7, -7, -8, 100, -100),)),
    Program(
        "bit_operations",
        bit_operations,
        (ints(0, 1, -1, 12, 7, -8, 255, 1023), ints(0, 3, 5, -12, 8, 7, 256, -1)),
    ),
    Program("augmented_assignment", augmented, (ints(0, 1, -1, 13, -30, 99, 7, 1000),)),
    Program(
        "float_operations",
        float_operations,
        (floats(0, 1, -2.5, 0.1, 1e3, -0.0, 7, 3), floats(0, 2, 0.25, -4, 0.75, 1, -0.5, 1e-3)),
        roundings=2,
        plain="tensor",
    ),
    Program("not_and_calls", not_of_calls, (ints(-10, -9, 0, 9, 10, 95, 96, 101, 200),)),
)
