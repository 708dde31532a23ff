"""What compilers make of some operations, and which workaround answers it.

Each case shows a fault of TensorFlow 2.21 and its XLA in plain TensorFlow, without pcbatch. A case
that fails after an update says that its workaround can go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from pcbatch.backend import exact, private

NAN = float("nan")


class Fault(NamedTuple):
    """A function of which a compiler makes another.

    Attributes:
      function: of tensors.
      args: for which it shows.
      right: the result.
      jit: it is XLA's; otherwise it is of TensorFlow's rewriting of graphs.
    """

    function: Callable[..., tf.Tensor]
    args: tuple[Any, ...]
    right: Any
    jit: bool = True


def _is_square_negative(x: tf.Tensor) -> tf.Tensor:
    return x * x < 0


LARGE = np.array([50_000], np.int32)
X = np.random.default_rng(0).normal(size=400).astype(np.float32)
Y, Z = X[::-1].copy(), np.roll(X, 7)

FAULTS = {
    "Mul: a square of integers is never negative": Fault(_is_square_negative, (LARGE,), [True]),
    "Square": Fault(lambda x: tf.square(x) < 0, (LARGE,), [True]),
    "Abs: is never negative": Fault(
        lambda x: tf.abs(x) < 0, (np.array([-(2**31)], np.int32),), [True]
    ),
    "Mean: integers are added up in their own width": Fault(
        tf.reduce_mean, (np.full(3, 2**30, np.int32),), 2**30
    ),
    "Maximum: loses NaN": Fault(
        lambda x, y: tf.maximum(y, x), (np.full(8, NAN, np.float32), np.zeros(8, np.float32)),
        np.full(8, NAN),
    ),
    "Max: loses NaN": Fault(
        lambda x: tf.reduce_max(x, 1), (np.array([[0.0, NAN, 1.0]] * 40, np.float32),),
        np.full(40, NAN),
    ),
    "ArgMin: passes over numbers before NaN": Fault(
        lambda x: tf.argmin(x, 1), (np.array([[0.0, NAN, 1.0]], np.float32),), [0]
    ),
    "TopKV2: parts zeros of two signs": Fault(
        lambda x: tf.math.top_k(x, 2).indices, (np.array([-0.0, 0.0], np.float32),), [0, 1]
    ),
    "RealDiv: by a constant is a product": Fault(
        lambda x: x / 10.0, (X,), X / np.float32(10)
    ),
    "RealDiv outside XLA": Fault(lambda x: x / 10.0, (X,), X / np.float32(10), jit=False),
    "rounding: a product and a sum are rounded once": Fault(
        lambda x, y, z: x * y + z, (X, Y, Z), X * Y + Z
    ),
    "rounding: sums with constants are put together": Fault(
        lambda x: (x + 0.1) + 0.2, (X,), (X + np.float32(0.1)) + np.float32(0.2), jit=False
    ),
    "LogicalNot: of a comparison is the other one": Fault(
        lambda x: ~(x < 0.0), (np.array([NAN], np.float32),), [True], jit=False
    ),
    "Cast: of what no integer holds": Fault(
        lambda x: tf.cast(x, tf.int32), (np.array([NAN, 1e20], np.float32),), [0, 2**31 - 1],
        jit=False,
    ),
    "LeftShift: by the width": Fault(
        lambda x, n: tf.bitwise.left_shift(x, n),
        (np.array([1], np.int32), np.array([32], np.int32)), [0], jit=False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_is_still_there(name: str) -> None:
    fault = FAULTS[name]
    compiled = tf.function(fault.function, jit_compile=fault.jit, autograph=False)
    got = compiled(*map(tf.constant, fault.args)).numpy()
    assert not np.array_equal(got, fault.right, equal_nan=got.dtype.kind == "f"), (
        f"TensorFlow {tf.__version__} does it right; its workaround can go"
    )


def test_the_version_is_the_one_that_the_workarounds_answer() -> None:
    assert private.SUPPORTED == ("2.21",) and tf.__version__.startswith("2.21")


def test_each_rule_names_an_operation() -> None:
    for name in {*exact.UNDER_XLA, *exact.OUTSIDE}:
        assert hasattr(tf.raw_ops, name)
