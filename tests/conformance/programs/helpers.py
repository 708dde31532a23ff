"""Functions that nobody has decorated: helpers, and functions that call themselves."""

from __future__ import annotations

import functools

import pcbatch
from tests.conformance.programs.record import Program, doubles, ints


def _root(x):
    guess = x
    while abs(guess * guess - x) > 1e-6:
        guess = (guess + x / guess) / 2
    return guess


def _positive(x):
    if x < 0:
        raise ValueError("negative")
    return x


def _or_zero(x):
    try:
        return _positive(x)
    except ValueError:
        return 0.0


def _push(values, x):
    if x > 1:
        values.append(x)


def roots_and_differences(x):
    """A loop, an exception that is caught and a list that is changed, each in a helper."""
    values = []
    for k in range(3):
        _push(values, _root(x * x + k) + _or_zero(x - k))
    return len(values), sum(values)


def _is_even(n):
    if n == 0:
        return True
    return _is_odd(n - 1)


def _is_odd(n):
    if n == 0:
        return False
    return _is_even(n - 1)


def _gcd(a, b):
    return a if b == 0 else _gcd(b, a % b)


def parities(n):
    """Helpers that recurse, handed to functions of Python and called in lambdas."""
    common = functools.reduce(_gcd, [n, 12, 18])
    nearest = max(range(1, 5), key=lambda k: _gcd(k * n, 12))
    return _is_even(n), common, nearest, sorted([n, 9, 4], key=_is_odd)[0]


def paths(rows, columns):
    """A function that calls itself by its own name, and is given to `autobatch` as it is."""
    if rows == 0 or columns == 0:
        return 1
    return paths(rows - 1, columns) + paths(rows, columns - 1)


PROGRAMS = (
    Program(
        "roots_and_differences",
        pcbatch.autobatch(roots_and_differences),
        (doubles(0, 1, 2.5, 0.5, 4, 9, 3, 1.5),),
    ),
    Program("parities", pcbatch.autobatch(parities), (ints(0, 1, 6, 7, 2, 3, 4, 5),)),
    Program(
        "paths",
        pcbatch.autobatch(paths),
        (ints(0, 1, 3, 2, 1, 0, 2, 3), ints(2, 1, 3, 2, 0, 0, 1, 2)),
        tags=("xla",),
    ),
)
