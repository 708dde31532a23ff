"""Slices of arrays with bounds of the member: NumPy's values, in expressions, loops and lists."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.tolerances import Tolerance, assert_close

W = np.array([[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 0.25, 9.0], [5.0, np.nan, 7.0, -2.0]])
K = np.array([[3, 1, -2, 7], [5, 5, 0, -1], [2, 4, 8, 16]])
N = np.array([3, 2, 1])


@pcbatch.autobatch
def builtins(w, k, n):
    """Python's builtins, and loops over parts."""
    total = 0
    for x in k[:n]:
        total = total * 2 + x
    for i, x in enumerate(reversed(k[n:])):
        total += i * x
    part = k[1:]
    return (
        total, sum(k[1:n]), len(w[-n:]), len(k[::-1][n:]), len(k[n::2]), max(k[:n]), min(k[n:]),
        7 in k[n:], sorted(k[:n])[0], all(x > 0 for x in k[:n]), sum(x * x for x in k[:n]),
        part[: n - 1].sum(), sum(a * b for a, b in zip(k[:n], part[:n])), len(k[99:n]), k[:n][-1],
    )  # fmt: skip


@pcbatch.autobatch
def arrays(w, k, n):
    """NumPy's functions, methods and operators."""
    part = w[:n]
    return (
        part.sum(), part.mean(), np.max(w[n:]), np.std(k[:n]), np.argmax(k[:n]), np.prod(w[n:]),
        np.dot(part, k[:n]), part @ part, np.any(w[:n] > 2), (part * 2 + k[:n])[0],
        np.sum((k[1 : n + 1] - k[:n]) ** 2), np.sqrt(np.square(k[:n])).sum(), (2 - part).sum(),
        np.sum(3 < k[:n]), np.cumsum(part)[-1], np.sort(k[:n])[0], np.linalg.norm(part),
        np.where(part > 1, part, 0).sum(), w[n:n].sum(), np.maximum(part, 1.5)[0], part.size,
    )  # fmt: skip


@pcbatch.autobatch
def lists(w, k, n):
    """Parts that are put into lists, and slices of lists of equal length."""
    a, b = [1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4, 5]
    a[:n] = w[:n]
    b[:n] = [x * 2 for x in b[:n]]
    b[n:] = b[n:][::-1]
    xs = list(k[:n])
    xs.extend(k[n:])
    return a[0], a[3], b[0] + 10 * b[2] + 100 * b[4], sum(xs), len(xs)


def numbers(value):
    return [np.asarray(leaf).item() for leaf in tf.nest.flatten(value)]


@pytest.mark.parametrize(
    ("f", "strategy"),
    [(builtins, "local"), (arrays, "local"), (lists, "local"), (arrays, "loop")],
)
def test_in_a_program(f, strategy):
    value = f.run(W, K, N, throw=True, strategy=strategy, jit=False).value
    for m in range(3):
        mine = numbers(tf.nest.map_structure(lambda leaf, m=m: np.asarray(leaf)[m], value))
        theirs = numbers(f.single(W[m], K[m], int(N[m])))
        assert_close(mine, theirs, Tolerance(1e-13))


def test_a_part_that_is_returned_is_ragged():
    f = pcbatch.autobatch(lambda w, n: w[:n] + 1)
    value = f.run(W, N, strategy="local", jit=False).value
    assert value.to_list()[:2] == [[2.0, 3.0, 4.0], [1.5, 0.0]]


def test_what_an_empty_part_has_not_is_the_members_exception():
    f = pcbatch.autobatch(lambda k, n: np.max(k[:n]))
    result = f.run(K, np.array([2, 0, 1]), strategy="local", jit=False)
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])
    g = pcbatch.autobatch(lambda k, n: k[:n][2])
    result = g.run(K, np.array([3, 2, 4]), strategy="local", jit=False)
    np.testing.assert_array_equal(np.asarray(result.status) != 0, [False, True, False])


def test_what_has_no_meaning_is_refused():
    texts = {
        "np.median of a slice": lambda w, n: np.median(w[:n]),
        "a function of TensorFlow of a slice": lambda w, n: tf.reduce_sum(w[:n]),
        "the truth of an array": lambda w, n: not w[:n],
        "np.stack of a slice": lambda w, n: np.stack([w[:n], w[:n]]),
        "np.concatenate of a slice": lambda w, n: np.concatenate((w[:n], w[n:])),
        "np.max of a slice": lambda w, n: np.max([w[:n], w[:n]]),
    }
    for text, function in texts.items():
        with pytest.raises(pcbatch.ProgramError, match=text):
            pcbatch.autobatch(function).run(W, N, strategy="local", jit=False)
