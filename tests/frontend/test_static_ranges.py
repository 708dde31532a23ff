"""Loops over a static `range` mean what Python means, unrolled where they have to be."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.errors import ProgramError
from tests.support.members import shared

X = tf.constant([1.0, -2.0, 5.0])
NAMES = {"a0": 1.0, "a1": 10.0, "a2": 100.0}


def different_parts(x):
    parts = (x, tf.stack([x, x]), tf.fill([2, 2], x))
    total = 0.0
    for i in range(len(parts)):
        total += tf.reduce_sum(parts[i])
    return total


def keys_of_a_dict(x):
    total = 0.0
    for i in range(2, -1, -1):
        total = 2 * total + NAMES[f"a{i}"] * x
    return total


def first_bound_in_the_loop(x):
    for i in range(3):
        y = x * i
    return y + i


def left_early(x):
    values = {0: x, 1: -x, 2: 2 * x}
    for i in range(3):
        y = values[i]
        if y > 1:
            break
    else:
        return -1.0
    return y + i


def nested(x):
    rows = ((x, 1.0), (2.0, x, x))
    total = 0.0
    for i in range(2):
        for j in range(len(rows[i])):
            if j == 1 and x < 0:
                continue
            total += rows[i][j] * (i + 1)
    return total


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "f", [different_parts, keys_of_a_dict, first_bound_in_the_loop, left_early, nested]
)
@pytest.mark.parametrize("strategy", ["loop", "local"])
def test_like_python(f, strategy):
    expected = [float(shared(f).single(x)) for x in X]
    result = shared(f).run(X, strategy=strategy, throw=True)
    assert result.value.numpy().tolist() == pytest.approx(expected)


def test_a_counter_stays_a_loop_where_it_can():
    @pcbatch.autobatch
    def f(x):
        for i in range(50):
            x += tf.cast(i, tf.float32)
        return x

    assert len(f.lower(X).stack_form.blocks) <= 3


def test_one_round_is_no_loop():
    @pcbatch.autobatch
    def f(x):
        for i in range(3, 4):
            x = x * i
        for j in reversed(range(1)):
            x = x + NAMES[f"a{j}"]
        return x + i

    assert len(f.lower(X).stack_form.blocks) == 1
    assert f.run(X, jit=False).value.numpy().tolist() == [3 * x + 4.0 for x in X.numpy()]


def test_the_error_is_that_of_the_loop_where_unrolling_does_not_help():
    @pcbatch.autobatch
    def f(x):
        for i in range(3):
            x = x + undefined_name  # noqa: F821
        return x

    with pytest.raises(ProgramError, match="undefined_name"):
        f.run(X)


def changed_digits(n):
    total, text = 0, str(n)
    for i in range(3):
        for c in "0123456789":
            if i == 0 and c == "0":
                continue
            changed = int(text[:i] + c + text[i + 1 :])
            if changed % 7 == n % 5 and changed > 120:
                total += changed
    return total


def test_loops_stand_where_they_would_be_long_and_texts_can_be_spelled():
    """Thirty rounds with several blocks each would be as many blocks."""
    f = pcbatch.autobatch(changed_digits)
    n = np.array([123, 407, 999])
    assert len(f.lower(n).stack_form.blocks) < 40
    assert f.run(n, jit=False, throw=True).value.numpy().tolist() == [*map(changed_digits, n)]


def test_unsigned_bounds_are_no_negative_numbers() -> None:
    """Above the largest int32 a uint32 is counted in 64 bits, and beyond these a member stops."""

    @pcbatch.autobatch
    def last(a, b):
        rounds, i = 0, a
        for i in range(a, b, 3):
            rounds += 1
        return rounds, i

    low, high = [2552764644, 4294967290], [2552764650, 4294967295]
    for dtype in (np.uint32, np.uint64):
        found = last.run(np.array(low, dtype), np.array(high, dtype), jit=False)
        assert [x.numpy().tolist() for x in found.value] == [[2, 2], [2552764647, 4294967293]]
    result = last.run(*(np.array([x], np.uint64) for x in (2**63, 2**63 + 9)), jit=False)
    assert "OverflowError" in result.message(0)
