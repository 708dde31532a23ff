"""Slices of arrays with bounds of the member: NumPy's values, in expressions, loops and lists."""

from __future__ import annotations

from collections import deque

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


@pcbatch.autobatch
def grown(w, k, n):
    """Lists that grow, as NumPy and TensorFlow see them."""
    xs, pairs, rows, window = [], [], [], deque(maxlen=2)
    for i in range(n):
        xs.append(w[i])
        window.append(k[i])
        pairs.append((k[i], i))
        rows.append(w * i)
    v = np.array(xs)
    xs.append(100.0)
    return (
        np.sum(xs), v.sum(), np.median(xs), v.mean(), np.diff(xs).sum(), np.ptp(xs[:-1]),
        np.array(pairs)[:, 0].sum(), np.array(pairs)[-1], np.mean(window), np.mean(rows, axis=0),
        np.array(xs, dtype=np.float32)[0], v.astype(int)[0], np.count_nonzero(v > 1),
        tf.reduce_sum(xs), tf.reduce_mean(w[:n]), tf.reduce_min(xs), tf.reduce_prod(k[:n]),
        tf.reduce_any(w[:n] > 2), tf.reduce_all(w[:n] > 2), sum(rows), np.cumsum(xs)[-1],
    )  # fmt: skip


def numbers(value):
    return [x for leaf in tf.nest.flatten(value) for x in np.ravel(np.asarray(leaf)).tolist()]


@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("f", "strategy"),
    [
        (builtins, "local"),
        (arrays, "local"),
        (lists, "local"),
        (arrays, "loop"),
        (grown, "local"),
        (grown, "loop"),
    ],
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
        "np.kron is not known of an array": lambda w, n: np.kron(w[:n], w[:n]),
        "a function of TensorFlow is not known of an array": lambda w, n: tf.exp(w[:n]),
        "the truth of an array": lambda w, n: not w[:n],
        "np.cross is not known of an array": lambda w, n: np.cross(w[:n], w[:n]),
        "np.min is not known of an array": lambda w, n: np.min((w[:n], w[n:])),
        "np.max is not known of an array": lambda w, n: np.max([w[:n], w[:n]]),
    }
    for text, function in texts.items():
        with pytest.raises(pcbatch.ProgramError, match=text):
            pcbatch.autobatch(function).run(W, N, strategy="local", jit=False)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_median_of_a_list_that_grows(length):
    def f(n):
        return np.median([k * 7 % 5 for k in range(n)])

    value = pcbatch.autobatch(f).run(np.array([length, 4]), strategy="local", jit=False).value
    assert np.asarray(value).tolist() == [f(length), f(4)]


def test_the_median_of_nothing_and_of_nan_is_nan():
    f = pcbatch.autobatch(lambda w, n: np.median(w[:n]))
    value = f.run(W[[0, 2]], np.array([0, 3]), strategy="local", jit=False).value
    assert np.isnan(value).all()


@pytest.mark.parametrize(
    "of",
    [
        lambda w, n: np.cumsum(np.outer(w, w)[:n]),
        lambda w, n: np.diff(np.outer(w, w)[:n]),
        lambda w, n: np.median(np.outer(w, w)[:n]),
        lambda w, n: tf.reduce_sum(np.outer(w, w)[:n], axis=1),
        lambda w, n: tf.reduce_mean(K[0][:n]),
    ],
)
def test_what_means_something_else_of_matrices_or_integers_is_refused(of):
    with pytest.raises(pcbatch.ProgramError, match="array whose length is the member's"):
        pcbatch.autobatch(of)(W, N)
