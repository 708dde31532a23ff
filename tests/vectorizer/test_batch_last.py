"""Members in columns: products with shared matrices where processors have wide vectors."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from nuts.likelihoods import bernoulli_logits
from pcbatch.backend import processor
from pcbatch.backend.tuning import WIDE
from pcbatch.vectorizer import AS_WRITTEN, Forms, trace, vectorize_block
from pcbatch.vectorizer.matmul import batch_last
from pcbatch.vectorizer.matmul.batch_last import HALF, VECTOR
from pcbatch.vm.sweep.buckets import Bucket
from pcbatch.vm.sweep.caches import lanes_last
from tests.support.tolerances import Tolerance, assert_close, rounding
from tests.support.tuning import vectors

POINTS, WIDTH = 40, 24
DRAW = np.random.default_rng(0).standard_normal
FEATURES = tf.constant(DRAW((POINTS, WIDTH)), tf.float32)
OFFSETS = tf.constant(DRAW(POINTS), tf.float32)
OUTCOMES = (DRAW(POINTS) > 0).astype(np.float32)
PRODUCTS = rounding("float32", 4 * (WIDTH + POINTS))
"""Of sums of `WIDTH` and of `POINTS` products, one after the other, by the order of their terms.

Terms of both signs are in all about four times as large as their sum, and each addition is off by
at most a unit of what has been added.
"""
IN_PARTS = Tolerance(8 * float(np.finfo(np.float32).eps))
"""Of a long sum in parts: of its terms, eight operations each. In one row it would be off by 48."""
BATCH_LAST = Forms(pretransposed=True, batch_last=True)

Member = dict[str, tf.Tensor]


@pytest.fixture(autouse=True)
def small_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_last, "LEAST", 1)


def logits(one: Member) -> tf.Tensor:
    return tf.linalg.matvec(FEATURES, one["x"])


def slope_of(fn: Callable[[Member], tf.Tensor]) -> Callable[[Member], tf.Tensor]:
    def slope(one: Member) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(one["x"])
            value = fn(one)
        return tape.gradient(value, one["x"])

    return slope


def both_ways(one: Member) -> tf.Tensor:
    """Out of the columns in the middle, where members are sorted, and back."""
    return tf.linalg.matvec(FEATURES, tf.sort(tf.tanh(logits(one))), transpose_a=True)


def in_a_branch(one: Member) -> tf.Tensor:
    z = logits(one)
    return tf.cond(one["c"] > 0.0, lambda: tf.reduce_sum(z), lambda: tf.reduce_max(logits(one)))


def in_a_loop(one: Member) -> tf.Tensor:
    z = logits(one)
    return tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, 0.5 * t + z), (0, z))[1]


def centered(one: Member) -> tf.Tensor:
    z = tf.reshape(logits(one), [4, 10])
    return z - tf.reduce_mean(z, -1, keepdims=True) + tf.reduce_max(z, 0)


FUNCTIONS: dict[str, Callable[[Member], tf.Tensor]] = {
    "the product itself": logits,
    "on the left": lambda one: tf.tensordot(one["x"], FEATURES, [[0], [1]]),
    "as a column": lambda one: tf.matmul(FEATURES, one["x"][:, tf.newaxis]),
    "as a row": lambda one: tf.matmul(one["x"][tf.newaxis], FEATURES, transpose_b=True),
    "batched product": lambda one: tf.raw_ops.BatchMatMulV2(
        x=one["x"][tf.newaxis], y=FEATURES, adj_x=False, adj_y=True
    ),
    "shared vector": lambda one: tf.nn.relu(logits(one) - OFFSETS),
    "number of the member": lambda one: one["c"] * logits(one),
    "vector of the member": lambda one: one["y"] + tf.where(one["y"] > 0.0, logits(one), 1.0),
    "squares": lambda one: tf.reduce_sum(logits(one) ** 2),
    "all axes": lambda one: tf.reduce_prod(1.0 + 0.1 * tf.tanh(logits(one)), [0]),
    "axes": centered,
    "turned": lambda one: tf.transpose(tf.reshape(logits(one), [4, 10])),
    "filled up": lambda one: tf.pad(logits(one), [[1, 2]], constant_values=7.0),
    "squeezed": lambda one: tf.squeeze(tf.exp(-tf.matmul(FEATURES, one["x"][:, tf.newaxis])), -1),
    "broadcast": lambda one: tf.broadcast_to(logits(one), [3, POINTS]),
    "sum of several": lambda one: tf.add_n([logits(one), one["y"], OFFSETS]),
    "stacked": lambda one: tf.stack([logits(one), one["y"]]),
    "elements": lambda one: logits(one)[3:7:2],
    "both ways": both_ways,
    "in a branch": in_a_branch,
    "in a loop": in_a_loop,
    "slope of squares": slope_of(lambda one: tf.reduce_sum(logits(one) ** 2)),
    "slope of a softplus": slope_of(lambda one: tf.reduce_mean(tf.nn.softplus(-logits(one)))),
    "slope of a likelihood": slope_of(lambda one: bernoulli_logits(OUTCOMES, logits(one))),
    "slope of a likelihood with groups filled up": slope_of(
        lambda one: bernoulli_logits(OUTCOMES[:37], logits(one)[:37])
    ),
}


def members(size: int) -> dict[str, tf.Tensor]:
    draw = np.random.default_rng(size).standard_normal
    shapes = {"x": (size, WIDTH), "y": (size, POINTS), "c": (size,)}
    return {name: tf.constant(draw(shape), tf.float32) for name, shape in shapes.items()}


def batched(
    one: Callable[[Member], Member], given: Member, size: int, forms: Forms
) -> dict[str, tf.Tensor]:
    """A function of one member, run on a batch."""
    graph = trace(one, {n: tf.TensorSpec(x.shape[1:], x.dtype) for n, x in given.items()})
    return vectorize_block(graph, [*given.values()], [], size, None, None, forms)


def compiled(names: list[str], size: int, forms: Forms) -> Any:
    """Some functions of a batch under XLA, each vectorized by itself."""

    @tf.function(jit_compile=True, autograph=False)
    def batch(given: dict[str, tf.Tensor]) -> list[tf.Tensor]:
        return [
            batched(lambda one, n=n: {"it": FUNCTIONS[n](one)}, given, size, forms)["it"]
            for n in names
        ]

    return batch


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [HALF, VECTOR, 3 * VECTOR])
def test_results_are_those_of_one_member(size: int) -> None:
    given = members(size)
    found = compiled([*FUNCTIONS], size, BATCH_LAST)(given)
    for name, result in zip(FUNCTIONS, found, strict=True):
        for b in (0, size // 2, size - 1):
            wanted = FUNCTIONS[name]({key: value[b] for key, value in given.items()})
            assert_close(result[b], wanted, PRODUCTS, name)


def products(size: int, forms: Forms, *names: str) -> list[str]:
    """The shapes of all matrix products of some functions, as XLA compiles them."""
    given = members(size)
    text = compiled([*names], size, forms).experimental_get_compiler_ir(given)("optimized_hlo")
    return re.findall(r"= f32\[([\d,]+)\]\S* dot\(", text)


def test_products_have_members_in_columns_also_where_one_follows_the_other() -> None:
    one_way, other_way = [f"{POINTS},{VECTOR}", f"{WIDTH},{VECTOR}"], [f"{VECTOR},{POINTS}"]
    assert products(VECTOR, BATCH_LAST, "slope of a likelihood") == one_way
    assert products(VECTOR, BATCH_LAST, "on the left") == one_way[:1]
    assert products(VECTOR, AS_WRITTEN, "on the left") == other_way
    assert products(VECTOR, Forms(pretransposed=True, batch_last=False), "on the left") == other_way


def test_nothing_of_the_size_of_the_points_is_turned_on_the_way() -> None:
    size = 2 * VECTOR
    batch = compiled(["slope of a likelihood"], size, BATCH_LAST)
    given = {"x": members(size)["x"]}
    text = batch.experimental_get_compiler_ir(given)("optimized_hlo")
    turned = re.findall(rf".*f32\[{size},(?:{POINTS}|\d+,\d+)\].*", text)
    assert not turned


@pytest.mark.parametrize("size", [7, 12, 20, 50])
def test_members_that_make_no_whole_vectors_stay_on_the_rows(size: int) -> None:
    assert products(size, BATCH_LAST, "on the left") == [f"{size},{POINTS}"]


def test_small_matrices_stay_on_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_last, "LEAST", POINTS * WIDTH + 1)
    assert products(VECTOR, BATCH_LAST, "on the left") == [f"{VECTOR},{POINTS}"]


@pytest.mark.parametrize("points", [1, 3, 1_000, 99_991])
def test_long_sums_are_made_of_parts(points: int) -> None:
    """One row after the other, 99,991 terms are wrong by 1.1 of 190,000; in parts by 0.04."""
    draw = np.random.default_rng(3).standard_normal
    features, x = draw((points, 4)).astype(np.float32), draw((VECTOR, 4)).astype(np.float32)
    matrix = tf.constant(features)

    @tf.function(jit_compile=True, autograph=False)
    def sums(x: tf.Tensor) -> tf.Tensor:
        def one(given: Member) -> Member:
            terms = tf.nn.softplus(tf.linalg.matvec(matrix, given["x"]))
            return {"it": tf.stack([tf.reduce_sum(terms), tf.reduce_mean(terms)])}

        return batched(one, {"x": x}, VECTOR, BATCH_LAST)["it"]

    logits = x.astype(np.float64) @ features.T.astype(np.float64)
    terms = np.maximum(logits, 0.0) + np.log1p(np.exp(-np.abs(logits)))
    assert_close(sums(tf.constant(x)), np.stack([terms.sum(1), terms.mean(1)], 1), IN_PARTS)


# --- The machine ------------------------------------------------------------------------------


@pcbatch.autobatch
def descend(x, n):
    while n > 0:
        x = x - 1e-2 * slope_of(lambda one: tf.reduce_sum(tf.nn.softplus(logits(one))))({"x": x})
        n -= 1
    return x


@pytest.mark.parametrize(
    ("cost", "batch_size", "lanes"),
    [(5e6, 50, 48), (5e6, 500, 96), (5e6, 16, 16), (5e6, 95, 80), (2e7, 500, 32), (1e9, 40, 16)],
)  # fmt: skip
def test_the_largest_bucket_has_whole_vectors(cost: float, batch_size: int, lanes: int) -> None:
    assert lanes_last(cost, batch_size, WIDE) == lanes <= batch_size


def test_those_left_over_wait_for_the_next_turn_and_nobody_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors(monkeypatch, wide=True)
    size, rounds = VECTOR + 3, 40
    x = DRAW((size, WIDTH)).astype(np.float32)
    n = np.full(size, rounds, np.int32)
    compiled = descend.lower(x, n).compile(shards=1)
    (bucket,) = (s for s in compiled.machine.stages if isinstance(s, Bucket))
    assert bucket.sizes == (VECTOR, HALF) and bucket.leaves_rest
    result = compiled.run(x, n).check()
    (block,) = (b for b in result.stats.blocks if b.active == n.sum())
    # Who is passed over in one turn goes in the next, so that all end at about the same time: the
    # three by themselves would take their forty rounds in buckets of eight.
    assert block.executions * HALF <= 1.15 * n.sum()
    # The forty steps are in all 0.4 slopes, so that what a slope is off by does not grow.
    wanted = descend.lower(x, n).compile(shards=1, without="batch-last layout")(x, n)
    assert_close(result.value, wanted, PRODUCTS)
    one = descend.single(tf.constant(x[-1]), n[-1])
    assert_close(result.value[-1], one, PRODUCTS)


@pytest.mark.every(2)
@pytest.mark.parametrize("wide", [True, False])
def test_members_are_in_columns_only_where_vectors_are_wide(
    monkeypatch: pytest.MonkeyPatch, wide: bool
) -> None:
    vectors(monkeypatch, wide=wide)
    x, n = DRAW((VECTOR, WIDTH)).astype(np.float32), np.arange(VECTOR, dtype=np.int32) % 3
    # A function of its own, as programs are kept.
    lowered = pcbatch.autobatch(lambda x, n: descend(x, n) + 0.0).lower(x, n)
    for without, width in (((), POINTS if wide else VECTOR), ("batch-last layout", VECTOR)):
        compiled = lowered.compile(shards=1, without=without)
        text = compiled.as_text("optimized_hlo", kernels=True)
        assert re.search(rf"= f32\[{width},\d+\]\S* dot\(", text)


CPUINFO = pathlib.Path("/proc/cpuinfo")


@pytest.mark.skipif(not CPUINFO.exists(), reason="only Linux tells the processor's features so")
def test_wide_vectors_are_known_to_the_system() -> None:
    assert processor.has_wide_vectors() == ("avx512f" in CPUINFO.read_text().split())
