"""Assertions and printing inside vectorized code and inside primitives."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.tolerances import Tolerance, assert_close


def checked_root(x):
    tf.debugging.assert_non_negative(x, message="negative input")
    return tf.sqrt(x)


def doubled_thrice(x):
    def body(i, a):
        with tf.control_dependencies([tf.debugging.Assert(a < 50.0, ["too large", a])]):
            return i + 1, a * 2.0

    return tf.while_loop(lambda i, _: i < 3, body, (0, x))[1]


@pcbatch.autobatch
def repeated(x, n):
    while n > 0:
        x = checked_root(x) + 1.0
        n = n - 1
    y = doubled_thrice(x)
    if x > 2.0:
        return x
    return y


@pytest.mark.every(2)
@pytest.mark.parametrize("how", [{}, {"strategy": "local"}, {"strategy": "loop"}], ids=str)
def test_an_assertion_in_a_primitive_stops_the_members_that_fail_it(how) -> None:
    x, n = tf.constant([4.0, -1.0, 9.0, 100.0, 1.0]), tf.constant([1, 2, 0, 0, 3])
    result = repeated.run(x, n, **how)
    said = [result.message(b) for b in range(5)]
    assert [bool(text) for text in said] == [False, True, False, True, False]
    assert "negative input" in said[1]
    assert "too large" in said[3]
    for b in (0, 2, 4):
        assert_close(result.value[b], repeated.single(x[b], n[b]), Tolerance(1e-6))


def test_an_assertion_of_a_loop_counts_for_the_members_that_still_run() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"too large.*\[1\]"):
        pcbatch.vectorize(doubled_thrice)(tf.constant([2.0, 20.0]))


def test_printing_prints_the_whole_batch_once(capfd) -> None:
    def shown(x):
        tf.print("members:", x)
        return x * 2.0

    doubled = pcbatch.vectorize(shown)(tf.constant([1.5, 2.5]))
    np.testing.assert_array_equal(doubled, [3.0, 5.0])
    assert capfd.readouterr().err.splitlines().count("members: [1.5 2.5]") == 1


def test_a_call_outside_a_graph_sees_what_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each traces anew, which is no mistake that TensorFlow should warn of."""
    said: list[str] = []
    monkeypatch.setattr(tf.get_logger(), "warning", lambda text, *rest: said.append(text % rest))
    state = {"factor": 0}
    scaled = pcbatch.vectorize(lambda pair: {"sum": (pair[0] + pair[1]) * state["factor"]})
    for factor in range(8):
        state["factor"] = factor
        got = scaled((tf.constant([1, 2]), tf.constant([3, 4])))
        np.testing.assert_array_equal(got["sum"], np.array([4, 6]) * factor)
    assert not [text for text in said if "retracing" in text]


@pytest.mark.parametrize("jit", [False, True])
def test_random_numbers_of_a_key_are_the_members_own(jit) -> None:
    def noisy(key, scale):
        start = scale * pcbatch.random.normal(key, (2,))
        total = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, a: (i + 1, a + pcbatch.random.uniform(pcbatch.random.fold_in(key, i), ())),
            (0, start[0]),
        )[1]
        return start, total

    keys, scale = pcbatch.random.split(pcbatch.random.key(3), 4), tf.constant(2.0)
    batched = pcbatch.vectorize(noisy, in_axes=(0, None), strict=True)
    found = tf.function(batched, autograph=False, jit_compile=jit)(keys, scale)
    for b, key in enumerate(keys):
        for got, wanted in zip(found, noisy(key, scale), strict=True):
            assert_close(got[b], wanted, Tolerance(1e-6))


@pytest.mark.parametrize("jit", [False, True])
def test_random_numbers_without_a_seed_differ_between_members(jit) -> None:
    def noisy(x):
        return (
            x + tf.random.uniform([3], dtype=x.dtype),
            tf.random.normal([2]),
            tf.random.normal([]),
        )

    batched = pcbatch.vectorize(noisy, strict=True)
    found = tf.function(batched, autograph=False, jit_compile=jit)(tf.zeros(5))
    for drawn in found:
        assert drawn.shape[0] == 5
        assert len(np.unique(drawn)) == np.size(drawn)
