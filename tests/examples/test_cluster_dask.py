"""Walks on spheres: the solution, and the same bits in parts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.examples.loading import load
from tests.runtime.executors import Here
from tests.support.tolerances import STATISTICAL

example = load("cluster_dask")


@pytest.mark.thorough
def test_the_solution_is_the_harmonic_function_on_any_number_of_workers() -> None:
    """It is harmonic where walks end, too, so that the mean has no bias."""
    executor = Here()
    found = example.solve(example.POINTS, 500, executor=executor, parts=3)
    assert executor.calls == 3
    for one, other in zip(found, example.solve(example.POINTS, 500), strict=True):
        np.testing.assert_array_equal(one, other)
    mean, error, jumps = found
    exact = example.harmonic(*example.POINTS.T)
    assert (np.abs(mean - exact) <= STATISTICAL * error).all()
    assert (error < 0.1).all() and jumps[0] == 1.0 and (jumps[1:] > 5).all()
