"""`np.bincount` has as many elements as the largest number of a member says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.programs.record import ints
from tests.support.members import check

N = ints(1, 2, 3, 5, 8, 13)


def of_arrays(n):
    v = np.array([n % 3, 1, n % 7, 2])
    counts = np.bincount(v, minlength=5)
    return np.bincount(v).tolist(), counts.tolist(), int(counts[1]), int(np.argmax(counts))


def of_lists(n):
    digits = [k * k % 4 for k in range(n)]
    return np.bincount(digits).tolist(), len(np.bincount([n * 30, 1])), int(counts_of(digits).sum())


def counts_of(digits):
    return np.bincount(digits, minlength=4)


def of_weights(n):
    v = np.array([n % 3, 1, n % 4, 2])
    return np.bincount(v, weights=np.array([0.5, 1, 2, n]), minlength=4).tolist()


def of_parts(n):
    v = np.array([n % 3, 1, n % 4, 2, 5, n])
    k = np.arange(n)
    return np.bincount(v[v > 1]).tolist(), np.bincount(k % 3, weights=k * 0.5).tolist()


def of_negative_numbers(n):
    return np.bincount(np.array([n - 3, 1])).tolist()


@pytest.mark.parametrize(
    "program", [of_arrays, of_lists, of_weights, of_parts, of_negative_numbers]
)
def test_is_what_numpy_gives(program):
    check(program, N, jit=False)


def test_compiled():
    check(of_arrays, N, jit=True)
