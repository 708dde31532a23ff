"""`u = new`: an array that one name takes over from another one, which is then assigned anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import shared

N = np.array([0, 1, 2, 5])


def heat(n):
    u = np.zeros(6)
    u[0] = 1.0
    for _ in range(n):
        new = u.copy()
        for i in range(1, 5):
            new[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return u


def until_it_stays(n):
    u, k = np.zeros(4), 0
    while k < n:
        new = u.copy()
        new[k % 4] += 1.0
        change = np.abs(new - u).max()
        u = new
        if change < 0.5:
            break
        k += 1
    return u, k


def on_one_path(n):
    a = np.zeros(3)
    for k in range(n):
        b = np.ones(3) * k
        if k % 2:
            a = b
        else:
            a[1] = k
    return a


def kept_for_a_while(n):
    a = np.zeros(3)
    for k in range(n):
        b = np.ones(3) * k
        old = a
        a = b
        a[0] = old[0] + 1
    return a


def of_matrices(n):
    m = np.eye(3) * n
    for _ in range(2):
        t = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                t[i, j] = m[j, i] + 1
        m = t
    return m


FUNCTIONS = [heat, until_it_stays, on_one_path, kept_for_a_while, of_matrices]


def check(function: Callable[[Any], Any], **options: Any) -> None:
    """Assert that each member has the arrays that NumPy has."""
    truths = [tf.nest.flatten(function(int(n))) for n in N]
    result = shared(function).run(N, **options).check()
    for leaf, *wanted in zip(tf.nest.flatten(result.value), *truths, strict=True):
        np.testing.assert_array_equal(leaf, np.stack(wanted))


@pytest.mark.every(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_are_numpys(function: Callable[[Any], Any]) -> None:
    check(function, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(kept_for_a_while, **options)
    check(on_one_path, **options)


def written_again(n):
    u, new = np.zeros(6), np.zeros(6)
    for _ in range(n):
        for i in range(1, 5):
            new[i] = u[i] + 1.0
        u = new
    return u


def after_the_loop(n):
    u, new = np.zeros(3), np.zeros(3)
    for k in range(n + 1):
        u = new
        if k == 2:
            break
        new = u.copy()
        new[0] += 1
    new[1] = 9.0
    return u, new


def behind_it(n):
    u = np.zeros(4)
    for _ in range(n):
        new = u * 2
        new[1] = 5.0
        u = new
        new[2] = 7.0
    return u


def in_a_condition(n):
    u = np.zeros(4)
    new = u.copy()
    while np.abs(new - u).max() < 3 and n > 0:
        new = u.copy()
        new[0] += 1.0
        u = new
        n -= 1
    return u


def read_later(n):
    u = np.zeros(3)
    new = u.copy()
    for _ in range(n):
        u = new
        u[0] += 1.0
    return u, new


def a_parameter(n, v):
    u = v
    u[0] = n
    return u


ALIASED = [written_again, after_the_loop, behind_it, in_a_condition, read_later]


@pytest.mark.parametrize("function", ALIASED, ids=lambda f: f.__name__)
def test_an_array_with_two_names_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(pcbatch.ProgramError, match="has no other name"):
        pcbatch.autobatch(function).run(N, jit=False)


def test_an_argument_is_not_taken_over() -> None:
    with pytest.raises(pcbatch.ProgramError, match="has no other name"):
        pcbatch.autobatch(a_parameter).run(N, np.ones([4, 3]), jit=False)
