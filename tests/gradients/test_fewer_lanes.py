"""Members with long tapes go on in lanes of their own where memory is bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.runtime import driver
from pcbatch.vm.room import tape_bytes
from tests.gradients.truth import of_plain_python
from tests.support.tolerances import EXACT, GRADIENT, assert_close

SIZE = 60
N = np.where(np.arange(SIZE) % 20 == 7, 300, np.arange(SIZE) % 7)
"""The longest is twenty times the mean."""
X = np.linspace(0.2, 0.9, SIZE)
EAGER = {"jit": False}


def wave(x, n):
    s = x
    for _ in range(n):
        s = s + 0.01 * tf.sin(s * x)
    return s


def peak(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of the tapes of each carry that runs from here on."""
    found = list[int]()

    class Noted(driver.ResidentCarry):
        def __init__(self, runner: Any, begin: Any):
            super().__init__(runner, begin)
            rows = runner.context.stacks.capacities(self.state)
            found.append(tape_bytes(runner.layout, runner.batch_size, rows))

    monkeypatch.setattr(driver, "ResidentCarry", Noted)
    return found


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [EAGER, {"shards": 2}], ids=["eager", "xla"])
def test_twice_what_is_written_is_enough(
    how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    slope = pcbatch.grad(wave)
    row = slope.lower(X, N).compile(jit=False).memory().tape_row / SIZE
    limit = 2 * int(row * (N + 1).sum())
    assert limit < 0.2 * row * SIZE * N.max()
    found = peak(monkeypatch)
    result = slope.run(X, N, max_tape_bytes=limit, throw=True, **how)
    parts = how.get("shards", 1)
    assert len(found) > parts
    assert max(found[:parts]) * parts <= limit
    assert max(found) <= limit
    plain = slope.run(X, N, throw=True, **how)
    assert_close(result.value, plain.value, EXACT)
    assert_close(result.value, of_plain_python(wave, (X, N)), GRADIENT)
    assert result.stats is not None
    assert result.stats.steps >= plain.stats.steps


@pytest.mark.thorough
def test_members_that_fail_keep_their_status() -> None:
    def f(x, n):
        s = wave(x, n)
        assert n != 5, "not five"
        assert s > 0.5, "too small"
        return s * s

    both = pcbatch.value_and_grad(f)
    plain, bounded = (both.run(X, N, **EAGER, **how) for how in ({}, {"max_tape_bytes": 20_000}))
    status = np.asarray(plain.status)
    assert {"not five", "too small"} <= {
        word
        for i in np.flatnonzero(status)
        for word in ("not five", "too small")
        if word in plain.message(i)
    }
    assert np.asarray(bounded.status).tolist() == status.tolist()
    good = status == 0
    assert (N[good] == 300).any()
    for a, b in zip(bounded.value, plain.value, strict=True):
        assert_close(np.asarray(a)[good], np.asarray(b)[good], EXACT)


@pytest.mark.thorough
def test_lists_and_what_is_written_move_with_their_members() -> None:
    def f(x, n):
        log = pcbatch.buffer(4, like=x)
        slopes = []
        for i in range(n % 4 + 1):
            slope = pcbatch.grad(wave)(x + 0.1 * i, n - i)
            log[i % 4] = slope
            slopes.append(slope)
        return log, slopes

    program = pcbatch.autobatch(f)
    plain, bounded = (
        program.run(X, N, throw=True, **EAGER, **how) for how in ({}, {"max_tape_bytes": 20_000})
    )
    assert_close(bounded.value[0], plain.value[0], EXACT)
    assert bounded.value[1].to_list() == plain.value[1].to_list()


@pytest.mark.thorough
def test_sums_for_all_members_are_those_of_all() -> None:
    weights = tf.Variable(np.linspace(-0.3, 0.3, 100).reshape(10, 10))
    x = np.random.default_rng(0).standard_normal((SIZE, 10))

    def layers(s, n):
        for _ in range(n):
            s = tf.tanh(tf.linalg.matvec(weights, s)) + 0.1 * s
        return tf.reduce_sum(s * s)

    slopes = []
    for how in ({}, {"max_tape_bytes": 400_000}):
        f = pcbatch.autobatch(layers, jit=False, **how)
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(f(x, N))
        slopes.append(tape.gradient(total, weights))
    assert_close(*slopes[::-1], GRADIENT)


def test_where_all_are_long_there_are_no_fewer_lanes() -> None:
    result = pcbatch.grad(wave).run(X, np.full(SIZE, 300), max_tape_bytes=20_000, **EAGER)
    assert (np.asarray(result.status) == pcbatch.Status.STACK_OVERFLOW).all()
    assert "max_tape_bytes=20,000" in result.message(0)


@pytest.mark.thorough
def test_where_lanes_are_known_members_stay_in_them(tmp_path) -> None:
    slope = pcbatch.grad(wave)
    for how in ({"max_steps": 100_000}, {"checkpoint": tmp_path / "run.ckpt"}):
        result = slope.run(X, N, max_tape_bytes=20_000, **EAGER, **how)
        assert (np.asarray(result.status) > 0).tolist() == (N == 300).tolist()
        assert "max_tape_bytes=20,000" in result.message(7)
