"""The text of a list, a set or a dict of the member, and NumPy's functions that are not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pcbatch
from pcbatch.errors import ProgramError
from tests.conformance.programs.record import ints

N = ints(1, 2, 5)


def grown(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return xs


def written(n):
    xs = [0] * 3
    xs[n % 3] = n
    return xs


def keyed(n):
    seen = set()
    for i in range(n):
        seen.add(i)
    return seen


def table(n):
    found = {}
    for i in range(n):
        found[i] = i
    return found


def by_str(xs):
    return len(str(xs))


def by_repr(xs):
    return len(repr(xs))


def by_an_f_string(xs):
    return len(f"{xs}")


@pytest.mark.every(2)
@pytest.mark.parametrize("make", [grown, written, keyed, table])
@pytest.mark.parametrize("helper", [by_str, by_repr, by_an_f_string])
def test_their_text_is_refused(make: Callable[[Any], Any], helper: Callable[[Any], Any]) -> None:
    """Also in a plain function, where Python's own gave the text of what stands for the list."""
    with pytest.raises(ProgramError, match="is asked of a value of a member"):
        pcbatch.autobatch(lambda n: helper(make(n))).run(N, strategy="local")


def is_in(xs):
    return np.isin(1, xs)


def without_zero(xs):
    return np.setdiff1d(xs, [0]).size


@pytest.mark.parametrize("make", [grown, written])
@pytest.mark.parametrize("helper", [is_in, without_zero])
def test_functions_of_numpy_that_are_not_known_are_refused(
    make: Callable[[Any], Any], helper: Callable[[Any], Any]
) -> None:
    with pytest.raises(ProgramError, match="of a member's array is not known"):
        pcbatch.autobatch(lambda n: helper(make(n))).run(N, strategy="local")
