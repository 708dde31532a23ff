"""A Python float that is put into a list has all its digits there."""

from __future__ import annotations

import cmath

import numpy as np
import pytest

import pcbatch
from tests.support.tolerances import EXACT, assert_close, rounding

X, N = np.array([0.5, 0.7, -0.1]), np.array([0, 1, 3])


def assigned(x, n):
    xs = [x]
    xs[0] = 0.1
    return xs[0] + x


def appended(x, n):
    xs = [x]
    xs.append(1.0 / 3.0)
    return xs[1] + x


def inserted(x, n):
    xs = [x, x]
    xs.insert(n, 0.1)
    return sum(xs)


def only_floats(x, n):
    xs = [0.1, 0.2, 0.7]
    xs[n % 3] = x
    return xs[0] + xs[1] * xs[2]


def in_a_nested_function(x, n):
    u = x

    def scaled(w):
        nonlocal u
        u = u * w
        return u

    scaled(x)
    u = -1.25 / 3.0
    return u + x


def smallest(x, n):
    return min([0.1, x, 0.3], key=lambda u: u * (n - 1)) + x


def logarithm(x, n):
    return cmath.log10(x + 1j).real


@pytest.mark.parametrize(
    "function",
    [assigned, appended, inserted, only_floats, in_a_nested_function, smallest, logarithm],
    ids=lambda f: f.__name__,
)
def test_a_float_has_all_its_digits(function) -> None:
    found = pcbatch.autobatch(function)(X, N).numpy() if function is assigned else None
    eager = pcbatch.autobatch(function, jit=False)(X, N).numpy()
    wanted = [function(x.item(), n.item()) for x, n in zip(X, N, strict=True)]
    assert_close(eager, wanted, rounding(np.float64, 2))
    if found is not None:
        assert_close(found, eager, EXACT)
