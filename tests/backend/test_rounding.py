"""Floating-point results that do not depend on how XLA cuts a program into kernels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pcbatch.backend import op_traits, rounding
from pcbatch.backend.outlining import outlined
from pcbatch.backend.private import graphs
from pcbatch.vectorizer.blocks import run_graph
from pcbatch.vectorizer.session import Session
from pcbatch.vectorizer.values import Plain, stack, stacked
from tests.support.tolerances import Tolerance, assert_close

WIDTH = 5
LANES = (1, 2, 16)
REDUCTIONS = ("Mean", "Prod", "Sum")
_TRANSPARENT = {"negate", "select", "broadcast", "reshape", "convert", "transpose", "copy"}
_ASSIGNMENT = re.compile(r"^\s*(?:ROOT )?(%?[\w.\-]+) = \S+ ([\w\-]+)\((.*?)\)(?:,|$)")
_NAME = re.compile(r"%[\w.\-]+")


def _call(name: str, *values: tf.Tensor) -> tf.Tensor:
    """An operation by its type, of as many of the values as it takes."""
    op = getattr(tf.raw_ops, name)
    if name == "AddN":
        return op(inputs=[*values])
    if name in REDUCTIONS:
        return op(input=values[0], axis=[-1], keep_dims=True)
    parameters = [p for p in op.__signature__.parameters if p not in ("name", "alpha")]
    return op(**dict(zip(parameters, values, strict=False)))


def _sums_of_products(hlo: str) -> list[str]:
    """The sums in a program before XLA optimizes it that add a product."""
    made: dict[str, tuple[str, list[str]]] = {}
    for line in hlo.splitlines():
        if match := _ASSIGNMENT.match(line):
            name, kind, operands = match.groups()
            made[name] = kind, _NAME.findall(operands)

    def is_product(name: str) -> bool:
        kind, operands = made.get(name, ("", []))
        return kind == "multiply" or (kind in _TRANSPARENT and any(map(is_product, operands)))

    return [
        name
        for name, (kind, operands) in made.items()
        if kind in ("add", "subtract", "reduce") and any(map(is_product, operands))
    ]


def _hlo(name: str) -> str:
    """What XLA makes of an operation before it optimizes."""
    x = tf.constant([[0.5, 0.25]])
    function = tf.function(lambda x, y: _call(name, x, y), jit_compile=True, autograph=False)
    return function.experimental_get_compiler_ir(x, x)(stage="hlo")


@pytest.mark.parametrize("name", sorted(op_traits.SUMS | op_traits.FUNCTIONS))
def test_no_operation_adds_a_product_within(name: str) -> None:
    hlo = _hlo(name)
    assert "ENTRY" in hlo and not _sums_of_products(hlo)


@pytest.mark.parametrize("name", ["TanhGrad", "Erfinv", "L2Loss"])
def test_operations_that_add_a_product_are_found(name: str) -> None:
    assert _sums_of_products(_hlo(name))
    assert name not in op_traits.ROUNDED_ONCE


def test_what_is_rounded_once_can_be_in_a_kernel() -> None:
    assert op_traits.SUMS | op_traits.FUNCTIONS <= op_traits.OUTLINABLE
    assert not op_traits.SUMS & op_traits.FUNCTIONS and not op_traits.EXACT & op_traits.FUNCTIONS


def _expression(seed: int) -> Callable[[tf.Tensor, tf.Tensor], tf.Tensor]:
    """A random expression of two vectors, with products that are added, of numbers near one."""

    def evaluate(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        rng = np.random.default_rng(seed)
        values = [x, y]
        kinds = sorted(op_traits.SUMS | op_traits.FUNCTIONS)
        for _ in range(12):
            a, b, c = (values[i] for i in rng.integers(0, len(values), 3))
            k = float(rng.uniform(0.5, 2.0))
            kind = str(rng.choice(kinds))
            new = {
                0: lambda a=a, b=b, c=c: a * b + c,
                1: lambda a=a, b=b, k=k: a / k - b * tf.reduce_sum(a * a, keepdims=True),
                2: lambda a=a, b=b, k=k: tf.where(a < k, a * k + b, b),
            }.get(int(rng.integers(0, 6)), lambda a=a, b=b, kind=kind: _call(kind, a, b))()
            # Near one: otherwise little is left that is finite.
            values.append(tf.broadcast_to(tf.math.atan(new) * 0.25 + 1.0, [WIDTH]))
        return tf.stack(values[2:])

    return evaluate


def _results(
    fn: Callable[..., Any], kernel: bool, *args: tf.Tensor, rounds: bool = True
) -> np.ndarray:
    """What a function gives for members, compiled by XLA, as one kernel or not."""
    specs = [tf.TensorSpec(x.shape[1:], x.dtype) for x in args]
    graph = graphs.trace(fn, specs)

    def batched(turns: tf.Tensor, *args: tf.Tensor) -> list[tf.Tensor]:
        zero = rounding.unknown_zero(turns) if rounds else None
        session = Session(int(args[0].shape[0]), xla=True, zero=zero)
        (result,) = run_graph(session, graph, [stacked(x) for x in args])
        assert isinstance(result, Plain)
        return [stack(result, session.size)]

    def whole(*given: tf.Tensor) -> Any:
        if not kernel:
            return batched(*given)
        return outlined(lambda _, *rest: batched(*rest), (), *given)

    compiled = tf.function(whole, jit_compile=True, autograph=False)
    turns = tf.constant(3, tf.int64)
    if kernel:
        text = compiled.experimental_get_compiler_ir(turns, *args)(stage="optimized_hlo")
        assert "xla_cpu_small_call" in text
    return compiled(turns, *args)[0].numpy()


@pytest.mark.every(4, 2)
@pytest.mark.parametrize(
    ("seed", "dtype"), [(8, "float32"), (12, "float32"), (5, "float64"), (2, "bfloat16")]
)
def test_the_same_bits_in_any_kernel_and_batch(seed: int, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    members = [tf.cast(rng.uniform(0.5, 1.5, (max(LANES), WIDTH)), dtype) for _ in range(2)]
    expected = _results(_expression(seed), False, *members)
    assert np.isfinite(expected.astype(np.float64)).all()
    for lanes in LANES:
        for kernel in (False, True):
            found = _results(_expression(seed), kernel, *(x[:lanes] for x in members))
            assert found.tobytes() == expected[:lanes].tobytes(), (lanes, kernel)


@pytest.mark.every(2)
@pytest.mark.parametrize("rounds", [False, True])
@pytest.mark.parametrize("axes", [[0], [1], [0, 1], [-1], []])
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean"])
def test_sums_are_those_of_numpy(name: str, axes: list[int], rounds: bool) -> None:
    x = np.random.default_rng(0).uniform(size=(70, 3, 64 * 31 + 1)).astype(np.float32)

    def fn(one: tf.Tensor) -> tf.Tensor:
        return getattr(tf, name)(one, axes, keepdims=True)

    found = _results(fn, False, tf.constant(x), rounds=rounds)
    where = tuple(a + 1 if a >= 0 else a for a in axes)
    expected = getattr(np, name.removeprefix("reduce_"))(
        x.astype(np.float64), axis=where, keepdims=True
    )
    assert found.shape == expected.shape
    assert_close(found, expected, Tolerance(2e-6))


def test_a_long_sum_is_not_added_one_by_one() -> None:
    """That would be wrong by 1.3e-6 of the sum; in pieces it is by 1e-7."""
    draw = np.random.default_rng(0).standard_normal
    matrix, x = draw((1_000_003, 4)).astype(np.float32), draw((1, 4)).astype(np.float32)

    def fn(one: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.nn.softplus(tf.linalg.matvec(matrix, one)))

    expected = np.logaddexp(0.0, x.astype(np.float64) @ matrix.T.astype(np.float64)).sum(1)
    assert_close(_results(fn, False, tf.constant(x)), expected, Tolerance(4e-7))


def test_half_precision_is_added_in_single_precision() -> None:
    x = tf.fill([2, 1000], tf.constant(1.0, tf.bfloat16))
    assert _results(tf.reduce_sum, False, x).astype(np.float64).tolist() == [1000.0, 1000.0]


@pytest.mark.every(6)
@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("fn", [tf.reduce_sum, tf.reduce_mean])
def test_a_large_batch_adds_in_the_same_order(fn: Callable[..., Any], kernel: bool) -> None:
    """XLA gives large sums to a library, which adds in another order, and has no kernels."""
    x = tf.constant(np.random.default_rng(0).normal(size=(2000, 100, 3)).astype(np.float32))
    few, many = (_results(lambda rows: fn(rows * rows, 0), kernel, x[:n]) for n in (10, 2000))
    assert many[:10].tobytes() == few.tobytes()


def test_what_a_library_reduces_is_no_kernel() -> None:
    x = tf.constant(np.random.default_rng(0).normal(size=(2000, 100)).astype(np.float32))
    function = tf.function(
        lambda x: outlined(lambda _, y: [tf.reduce_max(y, 1), y], (), x),
        jit_compile=True,
        autograph=False,
    )
    np.testing.assert_array_equal(function(x)[0].numpy(), x.numpy().max(1))
