"""The block vectorizer against a loop over the members.

Each case is a function of two arrays of one member. It is checked with either operand shared or per
member, in eager mode and under XLA (of the operands that differ; with PCBATCH_STRESS=1 of all), the
values, the gradients taken inside the function, and those that an outer tape takes through the
vectorized function.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from pcbatch.vectorizer import internals
from tests.vectorizer_cases import GROUPS

SIZE, LENGTH = 4, 5
AXES = [(0, 0), (0, None), (None, 0)]
TOLERANCE = {"rtol": 1e-9, "atol": 1e-12}


def operands(axes: tuple[int | None, int | None], seed: int) -> list[tf.Tensor]:
    draw = np.random.RandomState(seed)
    shapes = [[SIZE, LENGTH] if axis == 0 else [LENGTH] for axis in axes]
    return [tf.constant(draw.uniform(0.4, 1.6, shape)) for shape in shapes]


def gradient(fn: Callable[..., tf.Tensor]) -> Callable[..., list[tf.Tensor]]:
    """The value's gradient by both arguments."""

    def both(*args: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(args)
            value = fn(*args)
        found = tape.gradient(value, args, unconnected_gradients="zero")
        return [tf.convert_to_tensor(g) for g in found]

    return both


def one_by_one(fn: Callable[..., Any], axes: Any, args: list[tf.Tensor]) -> list[np.ndarray]:
    traced = tf.function(fn, autograph=False)
    members = [
        tf.nest.flatten(traced(*[a[b] if x == 0 else a for a, x in zip(args, axes, strict=True)]))
        for b in range(SIZE)
    ]
    return [np.stack(column) for column in zip(*members, strict=True)]


def outer_gradient(fn: Callable[..., tf.Tensor], axes: Any) -> Callable[..., list[tf.Tensor]]:
    """By an outer tape: of the sum over the members."""

    def through(*args: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(args)
            value = pcbatch.vectorize(fn, in_axes=axes)(*args)
        return [
            tf.convert_to_tensor(g)
            for g in tape.gradient(value, args, unconnected_gradients="zero")
        ]

    return through


CASES = [(group, axes) for group, axes in itertools.product(GROUPS, AXES)]


@pytest.mark.parametrize(("group", "axes"), CASES, ids=[f"{g}-{a}" for g, a in CASES])
def test_equals_a_loop_over_the_members(group: str, axes: tuple[int | None, int | None]) -> None:
    args = operands(axes, seed=len(group))

    def everything(*args: tf.Tensor) -> list[Any]:
        return [
            (
                pcbatch.vectorize(fn, in_axes=axes)(*args),
                pcbatch.vectorize(gradient(fn), in_axes=axes)(*args),
                outer_gradient(fn, axes)(*args),
            )
            for fn in GROUPS[group]
        ]

    eager = tf.function(everything, autograph=False)(*args)
    ways = [("eager", eager)]
    if axes == (0, 0) or os.environ.get("PCBATCH_STRESS"):
        compiled = tf.function(everything, autograph=False, jit_compile=True)
        ways.append(("XLA", compiled(*args)))
    for way, results in ways:
        for fn, (value, grads, outer) in zip(GROUPS[group], results, strict=True):
            note = f"{fn.__name__} {way}"
            (wanted,) = one_by_one(fn, axes, args)
            np.testing.assert_allclose(value, wanted, **TOLERANCE, err_msg=note)
            slopes = one_by_one(gradient(fn), axes, args)
            for got, slope in zip(grads, slopes, strict=True):
                np.testing.assert_allclose(got, slope, **TOLERANCE, err_msg=note)
            for got, slope, axis in zip(outer, slopes, axes, strict=True):
                total = slope if axis == 0 else slope.sum(0)
                np.testing.assert_allclose(got, total, **TOLERANCE, err_msg=f"{note}, outer tape")


def test_the_private_names_belong_to_this_version_of_tensorflow() -> None:
    assert tf.__version__.startswith(internals.SUPPORTED)
