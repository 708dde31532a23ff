"""Shared matrices that are turned where products with few rows are faster for it."""

from __future__ import annotations

import gc
import re
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.backend import processor
from pcbatch.backend.private import graphs
from pcbatch.vectorizer import pretransposed
from pcbatch.vectorizer.pretransposed import MatrixOrigin
from tests.support.tolerances import assert_close, rounding


@pytest.fixture(autouse=True)
def narrow_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "has_wide_vectors", lambda: False)


POINTS, WIDTH, MEMBERS = 300, 20, 12
FEATURES = np.random.default_rng(0).standard_normal((POINTS, WIDTH)).astype(np.float32)
CAPTURED = tf.constant(FEATURES)
DESCENT = rounding("float32", 16)
"""Of three steps, each off by two roundings of x and by a thousandth of those of a slope, which are
about as many as the root of `POINTS` for each of a hundred: two more."""
PRODUCT = rounding("float32", POINTS)
"""Of a sum of `POINTS` products of both signs, of the size of their root, in another order."""


def loss(logits):
    return tf.reduce_sum(tf.math.log1p(tf.exp(logits)))


def slope(features, x):
    """The gradient of a function of `features @ x`: two products, one with the transpose."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(tf.linalg.matvec(features, x))
    return tape.gradient(value, x)


def contracted_slope(features, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(tf.tensordot(x, features, [[0], [1]]))
    return tape.gradient(value, x)


def descent(step, features):
    """A loop with a number of rounds per member around a gradient."""

    @pcbatch.autobatch
    def descend(x, n):
        while n > 0:
            x = x - 1e-3 * step(features, x)
            n -= 1
        return x

    return descend


@pcbatch.autobatch(in_axes=(0, 0, None))
def descend_on(x, n, features):
    while n > 0:
        x = x - 1e-3 * slope(features, x)
        n -= 1
    return x


X = np.random.default_rng(1).standard_normal((MEMBERS, WIDTH)).astype(np.float32)
N = np.arange(MEMBERS, dtype=np.int32) % 4
WAYS = {
    "captured": (descent(slope, CAPTURED), (X, N)),
    "by tensordot": (descent(contracted_slope, CAPTURED), (X, N)),
    "NumPy": (descent(slope, FEATURES), (X, N)),
    "argument": (descend_on, (X, N, FEATURES)),
}


def products(compiled: Any) -> set[str]:
    """How the matrix products of a program read their second factor: {0}, row by row, or {1}."""
    text = compiled.as_text("optimized_hlo", kernels=True)
    return set(re.findall(r" dot\(.*rhs_contracting_dims=(\{\d\})", text))


@pytest.mark.every(4)
@pytest.mark.parametrize("way", WAYS)
def test_products_read_matrices_row_by_row(way: str) -> None:
    function, arguments = WAYS[way]
    lowered = function.lower(*arguments)
    turned, as_it_is = (
        lowered.compile(without=w, shards=1) for w in ((), "pre-transposed operands")
    )
    assert products(turned) == {"{0}"}
    assert products(as_it_is) == {"{0}", "{1}"}
    found = turned(*arguments)
    assert_close(found, as_it_is(*arguments), DESCENT)
    for b in (1, 2):
        one = (tf.constant(X[b]), N[b], *arguments[2:])
        assert_close(found[b], function.single(*one), DESCENT)


def test_a_shared_argument_is_read_anew_in_each_call() -> None:
    for features in (FEATURES, 2.0 * FEATURES):
        found = descend_on(X, N, features)
        wanted = descend_on.single(tf.constant(X[3]), N[3], tf.constant(features))
        assert_close(found[3], wanted, DESCENT)


@pytest.mark.parametrize(
    ("rows", "inner", "columns", "turned"),
    [
        (1, 300, 20, False), (1, 20, 300, True), (8, 20, 300, True), (8, 300, 20, True),
        (8, 300, 4, False), (64, 20, 300, False), (50, 100, 10_000, False), (20, 100, 10_000, True),
    ],
)  # fmt: skip
def test_a_product_with_a_transpose_is_turned_where_it_pays(
    rows: int, inner: int, columns: int, turned: bool
) -> None:
    matrix = tf.zeros([columns, inner])
    product = pretransposed.product(tf.zeros([rows, inner]), MatrixOrigin(matrix), transpose=True)
    assert (product is not None) == turned
    assert product is None or product.shape == [rows, columns]


@pytest.mark.parametrize(
    ("rows", "inner", "columns", "transpose", "turned"),
    [
        (1, 300, 20, False, True), (8, 300, 20, False, False), (32, 300, 20, False, True),
        (50, 10_000, 100, False, True), (200, 10_000, 100, False, True),
        (50, 100, 10_000, False, False), (50, 100, 10_000, True, True), (8, 300, 4, False, True),
    ],
)  # fmt: skip
def test_with_wide_vectors_few_columns_are_packed(
    monkeypatch: pytest.MonkeyPatch,
    rows: int,
    inner: int,
    columns: int,
    transpose: bool,
    turned: bool,
) -> None:
    monkeypatch.setattr(processor, "has_wide_vectors", lambda: True)
    matrix = tf.zeros([columns, inner] if transpose else [inner, columns])
    product = pretransposed.product(tf.zeros([rows, inner]), MatrixOrigin(matrix), transpose)
    assert (product is not None) == turned
    assert product is None or product.shape == [rows, columns]


def test_one_row_reads_a_tall_matrix_by_columns() -> None:
    matrix = tf.random.normal([300, 20])
    row = tf.random.normal([1, 300])
    product = pretransposed.product(row, MatrixOrigin(matrix), transpose=False)
    assert_close(product, row @ matrix, PRODUCT)
    assert (
        pretransposed.product(
            row, MatrixOrigin(tf.transpose(matrix), transposed=True), transpose=False
        )
        is None
    )


def test_other_dtypes_and_shapes_stay_as_they_are() -> None:
    rows = tf.zeros([8, 20], tf.float64)
    assert pretransposed.product(rows, MatrixOrigin(tf.zeros([300, 20], tf.float64)), True) is None
    unknown = tf.TensorSpec([None, 20], tf.float32)
    graph = graphs.trace(
        lambda x: pretransposed.product(x, MatrixOrigin(CAPTURED), True) or x, [unknown]
    )
    assert not any(op.type == "MatMul" for op in graph.get_operations())


def test_a_transpose_is_kept_as_long_as_its_matrix() -> None:
    matrix = tf.random.normal([300, 20])
    key = id(matrix)
    first, second = (pretransposed.transposed(matrix) for _ in range(2))
    assert first is second
    np.testing.assert_array_equal(first, tf.transpose(matrix))
    del matrix, first, second
    gc.collect()
    assert not pretransposed.is_known(key)
