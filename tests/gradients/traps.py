"""Functions whose gradients other systems have got wrong, one kind each.

Each is plain Python for one example in float64, whose gradient with regard to the first argument is
that of an eager tape around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

X = np.array([0.3, 1.1, -0.7, 0.9])
N = np.array([3, 0, 5, 7])
V = np.linspace(-0.8, 0.9, 12).reshape(4, 3)


class Trap(NamedTuple):
    """A function and its batch."""

    function: Callable[..., Any]
    args: tuple[np.ndarray, ...]


def set_before_a_loop(x, n):
    scale = x * x
    s = x
    for _ in range(n):
        s = s * 0.5 + 1.0
    return s * scale


def nested_loops(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * i
        for j in range(i):
            s += tf.sin(x * j) * s
    return s


def loops_left_early(x, n):
    s = 0.0
    for i in range(n):
        if i % 3 == 1:
            continue
        s = s + x * i
        if s > 4.0:
            return s * s
        for j in range(i):
            if j > 2:
                break
            s += tf.sin(x * j) * s
    return s


def best_of_some(x, n):
    best, at = x, 0
    for i in range(n):
        y = tf.sin(x * (i + 1))
        if y > best:
            best, at = y, i
    return best * best + x * at


def not_linear(x, n):
    s = x
    for _ in range(n):
        s = s * s * x + tf.exp(-s)
    return s


def changed_after_it_was_read(x, n):
    b = [0.0] * 6
    b[0] = x
    for i in range(1, 6):
        b[i] = b[i - 1] * x + b[(i * 2) % i]
        if i > n:
            b[0] = b[i] * b[0]
    return b[5] * b[0] + b[2]


def array_changed_after_it_was_read(v, n):
    w = v * 1.0
    for i in range(n):
        y = w[i % 3]
        w = tf.tensor_scatter_nd_update(w, [[(i + 1) % 3]], [y * y + v[0]])
    return tf.reduce_sum(w * w)


def fill(b, x, n):
    if n <= 0:
        return
    b[n % 4] = b[(n + 1) % 4] * x + n
    fill(b, x * 0.9, n - 1)


def recursion_without_a_result(x, n):
    b = [x, 1.0, 2.0, x * x]
    fill(b, x, n)
    return b[0] * b[1] + b[2] * b[3]


def nan_where_it_is_not_taken(x, n):
    if x > 0.0:
        y = tf.math.log(x)
    else:
        y = tf.exp(x)
    return y * x


def square_root_of_none(x, n):
    s = 0.0
    for i in range(n):
        if x - 0.5 * i > 0.0:
            s += tf.sqrt(x - 0.5 * i)
    return s + x


def infinite_where_it_is_not_used(x, n):
    zero = x - x
    root, log, double = tf.sqrt(zero), tf.math.log(zero), x * 2.0
    s = double
    for _ in range(n):
        s = s + x
    if n > 100:
        s = s * root + log
    return s


def no_trip(x, n):
    s = x
    i = 10
    while i < n:
        s = s * x
        i += 1
    return s


def its_own_argument(x, n):
    return x


def twice(a, b, n):
    if n <= 0:
        return a * b
    return twice(a, a, n - 1) + b


def the_same_variable_twice(x, n):
    return twice(x, x, n)


def independent(x, n):
    return 2.5 if n > 3 else 1.0


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 0:
        half = power(x, n // 2)
        return half * half
    return x * power(x, n - 1)


def tree(x, n):
    if n <= 1:
        return x * x
    a = tree(x * 0.9, n - 1)
    b = tree(a + x, n - 2)
    return a * b * 0.1 + x


def is_even(x, n):
    if n == 0:
        return tf.sin(x)
    return is_odd(x * 1.1, n - 1)


def is_odd(x, n):
    if n == 0:
        return tf.cos(x)
    return is_even(x, n - 1) * x


def mutual_recursion(x, n):
    return is_even(x, n)


def of_an_array(v, n):
    w = v * 0.0
    for i in range(n):
        w = w + tf.tanh(v * w + v)
        if i % 2 == 0:
            v = v * 0.5
    return tf.reduce_sum(w * v)


def elements_by_index(v, n):
    s = 0.0
    for i in range(n):
        s = s * v[i % 3] + v[(i * i) % 3]
    return s


def zeros_that_are_added(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * i + 0.0
    return 0.0 - s


TRAPS = {
    f.__name__: Trap(f, (X, N))
    for f in (
        set_before_a_loop, nested_loops, loops_left_early, best_of_some, not_linear,
        changed_after_it_was_read, recursion_without_a_result, nan_where_it_is_not_taken,
        square_root_of_none, infinite_where_it_is_not_used, no_trip, its_own_argument,
        the_same_variable_twice, independent, power, tree, mutual_recursion, zeros_that_are_added,
    )
} | {
    f.__name__: Trap(f, (V, N))
    for f in (array_changed_after_it_was_read, of_an_array, elements_by_index)
}  # fmt: skip
"""By name."""
