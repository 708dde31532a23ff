"""`lru_cache` and `cache` of nested functions: what has been given is not computed again."""

from __future__ import annotations

import functools
from functools import lru_cache

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.members import check

N = np.array([1, 2, 4, 7])


def fibonacci(n):
    """Ten thousand years without the cache."""

    @lru_cache(maxsize=None)  # noqa: UP033
    def fib(k):
        if k < 2:
            return k
        return fib(k - 1) + fib(k - 2)

    return fib(10 * n) % 1009


@lru_cache(maxsize=None)  # noqa: UP033
def of_module(k):
    return k if k < 2 else (of_module(k - 1) + of_module(k - 2)) % 1009


STEP = 2


@functools.cache
def paths(rows, columns):
    if rows == 0 or columns == 0:
        return STEP
    return (paths(rows - 1, columns) + paths(rows, columns - 1)) % 1009


def of_the_module(n):
    """As long without the cache."""
    return of_module(9 * n), of_module(8 * n + 1)


def beside_a_name_of_its_own(n):
    """The cache is left out, as the function would see the variable."""
    STEP = n % 3
    return paths(n, 3) + STEP


def distance(n):
    xs = [(k * 7 + n) % 11 for k in range(9)]
    ys = [(k * 5 + n) % 11 for k in range(8)]

    @functools.cache
    def of(i, j):
        if i == 0:
            return j
        if j == 0:
            return i
        if xs[i - 1] == ys[j - 1]:
            return of(i - 1, j - 1)
        return 1 + min(of(i - 1, j), of(i, j - 1), of(i - 1, j - 1))

    return of(len(xs), len(ys))


def calls_counted(n):
    calls = 0

    @lru_cache(None)
    def f(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else f(k - 1) + f(k - 2)

    return f(n), calls, f(n), calls


def what_changed_since(n):
    factor = 2

    @functools.cache
    def f(k):
        return factor if k < 2 else f(k - 1) + f(k - 2)

    first = f(n)
    factor = 5
    return first, f(n), f(n + 1)


def lists_are_made_anew(n):
    @lru_cache(None)
    def lists(k):
        if k == 0:
            return [0]
        return lists(k - 1) + [k] if k % 2 else lists(k - 1) + lists(0)

    return len(lists(n))


def without_recursion(n):
    @functools.cache
    def square(k):
        return k * k

    return square(n) + square(n) + square(3)


def order_of_calls(n):
    log = []

    @functools.cache
    def halved(k):
        log.append(k)
        return k // 2

    return sum(halved(k % 3) for k in range(n)), log


def handed_on(n):
    @functools.cache
    def square(k):
        return k * k

    return sum(map(square, [n, 3, n]))


class Walker:
    def __init__(self, n):
        self.steps = [k * 5 % 7 for k in range(n + 4)]

    def best(self):
        @functools.cache
        def ways(k):
            if k >= len(self.steps):
                return 1
            return ways(k + 1) + ways(k + 2) * self.steps[k]

        return ways(0)


def in_a_method(n):
    return Walker(n).best()


PROGRAMS = [
    fibonacci, distance, calls_counted, what_changed_since, lists_are_made_anew, without_recursion,
    order_of_calls, handed_on, in_a_method, of_the_module, beside_a_name_of_its_own,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_they_are_pythons(program):
    check(program, N, jit=False)


def test_slopes():
    @pcbatch.autobatch
    def f(x, n):
        @functools.cache
        def power(k):
            return x if k < 2 else power(k // 2) * power(k - k // 2)

        return power(n)

    x, n = tf.constant([1.5, 2.0, 0.5], tf.float64), np.array([1, 3, 6])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, n)
    np.testing.assert_array_equal(tape.gradient(y, x), n * x.numpy() ** (n - 1))


def test_a_cached_function_itself_remembers():
    values = pcbatch.autobatch(of_module).run(10 * N, jit=False).value
    assert values.numpy().tolist() == [of_module(int(k)) for k in 10 * N]
