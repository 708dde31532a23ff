"""Targets that are autobatched functions, with loops and recursion of their own."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import nuts
import pcbatch
from tests.support.tolerances import Tolerance, assert_close

HOW = {"num_chains": 40, "num_draws": 40, "num_warmup": 40, "seed": 3, "progress": False}
START = tf.zeros(2, tf.float64)


@pcbatch.autobatch
def exponential(x):
    """The series, as long as each chain needs it."""
    total, term, i = 1.0, 1.0, 1
    while abs(term) > 1e-17 * abs(total):
        term = term * x / i
        total = total + term
        i += 1
    return total


@pcbatch.autobatch
def program(x):
    total = 0.0
    for k in range(2):
        total = total - 0.5 * x[k] * x[k]
    return total - 0.1 * exponential(x[0])


def plain(x):
    return -0.5 * x[0] * x[0] - 0.5 * x[1] * x[1] - 0.1 * tf.exp(x[0])


SERIES = Tolerance(1e-6, 1e-6)
"""The series and `exp` differ by some units of 1e-16, which forty trajectories may enlarge."""


def test_draws_are_those_of_the_same_density_without_a_loop() -> None:
    found, expected = (nuts.sample(f, START, **HOW) for f in (program, plain))
    assert_close(np.asarray(found.draws)[:, :3], np.asarray(expected.draws)[:, :3], SERIES)
    assert int(np.sum(found.stats.diverging)) == int(np.sum(expected.stats.diverging))


def test_a_second_call_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nuts.sample(program, START, **HOW)
    made = []
    before = pcbatch.runtime.specialization.Specialization.__init__

    def counting(self, *args, **kwargs):
        made.append(args)
        before(self, *args, **kwargs)

    monkeypatch.setattr(pcbatch.runtime.specialization.Specialization, "__init__", counting)
    nuts.sample(program, START, **HOW)
    assert not made


def test_a_target_that_is_no_number_is_refused() -> None:
    @pcbatch.autobatch
    def vector(x):
        return -x * x

    with pytest.raises((nuts.SamplingError, pcbatch.ProgramError), match=r"scalar|number"):
        nuts.sample(vector, START, **HOW)


def test_a_start_at_which_the_target_raises_is_told_with_its_line() -> None:
    @pcbatch.autobatch
    def fails(x):
        if x[0] < 1.0:
            raise ValueError("outside")
        return -x[0] * x[0]

    with pytest.raises((nuts.SamplingError, pcbatch.MemberError), match="ValueError: outside"):
        nuts.sample(fails, START, **HOW)


def test_a_start_that_is_not_finite_is_refused() -> None:
    @pcbatch.autobatch
    def infinite(x):
        total = 0.0
        while total > -3.0:
            total = total - 1.0
        return total * tf.math.log(x[0])

    with pytest.raises(nuts.SamplingError, match="finite"):
        nuts.sample(infinite, START, **HOW)
