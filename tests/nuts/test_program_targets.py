"""Targets that are autobatched functions, with loops and recursion of their own."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import nuts
import pcbatch
from nuts.run.first_line import first_line
from nuts.run.initialization import Start, is_finite, start_points
from nuts.run.space import Space
from nuts.run.target import from_program
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


FEW = {
    **HOW, "num_chains": 3, "num_draws": 3, "num_warmup": 0, "step_size": 0.5, "strategy": "loop"
}  # fmt: skip


@pytest.mark.thorough
def test_few_draws_are_those_of_the_same_density_without_a_loop() -> None:
    found, expected = (nuts.sample(f, START, **FEW) for f in (program, plain))
    assert_close(found.draws, expected.draws, SERIES)


@pytest.mark.large
def test_draws_are_those_of_the_same_density_without_a_loop() -> None:
    found, expected = (nuts.sample(f, START, **HOW) for f in (program, plain))
    assert_close(np.asarray(found.draws)[:, :3], np.asarray(expected.draws)[:, :3], SERIES)
    assert int(np.sum(found.stats.diverging)) == int(np.sum(expected.stats.diverging))


@pytest.mark.thorough
def test_a_second_call_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nuts.sample(program, START, **FEW)
    made = []
    before = pcbatch.runtime.specialization.Specialization.__init__

    def counting(self, *args, **kwargs):
        made.append(args)
        before(self, *args, **kwargs)

    monkeypatch.setattr(pcbatch.runtime.specialization.Specialization, "__init__", counting)
    nuts.sample(program, START, **FEW)
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

    with pytest.raises(nuts.SamplingError, match=r"no finite log density.*ValueError: outside"):
        nuts.sample(fails, START, **HOW)


def test_random_starts_are_not_where_the_target_raises() -> None:
    @pcbatch.autobatch
    def positive(x):
        if x < 0.0:
            raise ValueError("outside")
        return -x * x

    problem = from_program(positive, Space(tf.TensorSpec([], tf.float64)))
    point, _ = start_points(problem, Start(None), 0, 40)
    assert (point.position.numpy() > 0).all() and is_finite(point).all()


@pytest.mark.thorough
def test_a_position_at_which_the_target_raises_is_rejected() -> None:
    """As one where a number overflows: chains go on, with divergences."""

    @pcbatch.autobatch
    def half_normal(x):
        if x[0] < 0.0:
            raise ValueError("outside")
        scale = 1.0 if x[1] < 1.5 else 0.0
        return -0.5 * x[0] * x[0] - 0.5 * x[1] / scale

    start = np.array([1.0, -1.0])
    fit = nuts.sample(half_normal, start, **{**FEW, "num_draws": 20})
    draws = np.asarray(fit.draws)
    assert (draws[..., 0] > 0.0).all() and (draws[..., 1] < 1.5).all()
    assert np.any(fit.stats.diverging)


@pcbatch.autobatch
def halving(x, depth):
    if depth == 0:
        roots = tf.sqrt(x[1] - 4.0)
        return -roots * x[0]
    return halving(x, depth - 1)


@pcbatch.autobatch
def recursive(x):
    best = -np.inf
    for k in range(2):
        best = tf.maximum(best, x[k])
    return halving(x, 3) + best


def test_a_start_that_is_not_finite_is_explained_by_its_line() -> None:
    """Not by the first line that has an infinity, which is written there."""
    how = {**HOW, "num_chains": 3}
    with pytest.raises(nuts.SamplingError, match="no finite log density") as caught:
        nuts.sample(recursive, START, **how)
    line = "roots = tf.sqrt(x[1] - 4.0)"
    lines, first = inspect.getsourcelines(halving.__wrapped__)
    number = first + next(i for i, text in enumerate(lines) if line in text)
    where = f"at {__file__}:{number}: `{line}`"
    assert str(caught.value).endswith(f". roots is the first to be not finite, {where}")


LARGE = np.array([1.0, np.inf])


def returned(x):
    return 1.0 / x[0]


def in_a_list(x):
    terms = [x[0]]
    terms.append(tf.math.log(x[1]))
    return sum(terms)


def raising(x):
    scale = x[0] / x[1]
    return math.log(-1.0) * scale


def from_a_global(x):
    y = LARGE * x
    return y[1]


def written(x):
    return x[0] + float("-Inf")


LINES = {
    returned: "what is returned is the first to be not finite, at .*: `return 1.0 / x.0.`",
    in_a_list: "terms is the first to be not finite, at .*: `terms.append.tf.math.log.x.1...`",
    raising: "scale is the first to be not finite, at .*: `scale = x.0. / x.1.`",
    from_a_global: None,
    written: None,
}


@pytest.mark.parametrize("function", LINES, ids=lambda function: function.__name__)
def test_the_first_line_that_is_not_finite(function: Any) -> None:
    found, expected = first_line(function, START), LINES[function]
    assert found is None if expected is None else re.fullmatch(expected, found or "")


@pcbatch.autobatch
def cusp(x):
    total = 0.0
    for k in range(2):
        total = total - tf.sqrt(tf.abs(x[k]))
    return total


@pcbatch.autobatch
def unbounded(x):
    return x[0] + x[1] + math.inf


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (cusp, ". The log density is finite there, its gradient is not"),
        (unbounded, ". No line of it gives such a number from finite ones"),
    ],
    ids=["gradient", "written"],
)
def test_what_no_line_explains_is_said(target: Any, expected: str) -> None:
    density = from_program(target, Space(tf.TensorSpec([2], tf.float64))).log_density
    assert density.explain(START[tf.newaxis], 0) == expected
