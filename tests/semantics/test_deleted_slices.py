"""`del xs[i:j:k]`: the places that a slice with a step means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.semantics.test_mathematics import STRATEGIES
from tests.support.members import check

N = np.array([0, 1, 2, 5, 7])


def of_known_length(n):
    xs, ys = [1, 2, 3, 4, n], list(range(8))
    xs[2:3] = [n, n]
    del xs[::3]
    del ys[n % 3 :: 2]
    return xs, ys


def of_the_member(n):
    xs = list(range(n + 3))
    names = xs
    del xs[::2]
    del xs[-1:0:-2]
    ys = list(range(8))
    del ys[:: n % 3 + 1]
    return names, sum(ys), len(ys)


def without_elements(n):
    xs = list(range(n))
    del xs[5:2]
    del xs[5:2:1]
    left = len(xs)
    del xs[::1]
    return left, len(xs)


def a_step_of_zero(n):
    xs = list(range(5))
    del xs[:: n - 1]
    return xs


FUNCTIONS = [of_known_length, of_the_member, without_elements, a_step_of_zero]


@pytest.mark.every(4)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_left_is_pythons(function: Callable[[Any], Any]) -> None:
    check(function, N, jit=False)


@pytest.mark.thorough
@pytest.mark.parametrize("options", STRATEGIES, ids=str)
def test_each_strategy(options: dict[str, Any]) -> None:
    check(of_the_member, N, **options)
