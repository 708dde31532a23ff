"""What the empty lanes of a padded batch cost: a program for the next size over one for the size.

Both programs have the same members, and their results are compared before they are timed: with
NumPy's, and bit by bit with each other, but for products of matrices. The sizes are the worst ones,
one more than a rung of the ladder, and round numbers.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.functions import FUNCTIONS, QUADRATURE, Function
from bench.timing import alternate, ratio
from pcbatch.backend import target
from pcbatch.runtime.options import RunOptions

WIDTH, PRODUCTS, NEAR = 100, 30, 1e-4
MATRIX = np.random.default_rng(1).normal(size=(WIDTH, WIDTH)).astype(np.float32)
TARGETS = ("XLA_CPU", "XLA_WIDE_CPU", "XLA_GPU")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench batch_sizes`."""
    parser.add_argument("--programs", nargs="+", default=list(BY_NAME), choices=BY_NAME)
    parser.add_argument(
        "--batches", type=int, nargs="+", default=[5, 10, 17, 33, 100, 129, 1_000, 1_025, 10_241]
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--padded", type=float, default=target.XLA_CPU.tuning.padded, help="see `Tuning`"
    )


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each program at each size, and print a line for each as it comes."""
    for name in TARGETS:
        old = getattr(target, name)
        tuning = dataclasses.replace(old.tuning, padded=options.padded)
        setattr(target, name, dataclasses.replace(old, tuning=tuning))
    rows = []
    for name in options.programs:
        for size in options.batches:
            rows.append(row(BY_NAME[name], size, options.rounds))
            print(report.table(rows[-1:]), flush=True)
    return rows


def row(function: Function, size: int, rounds: int) -> dict[str, Any]:
    """One program at one size."""
    arguments = function.tensors(size)

    def call(pad: bool) -> pcbatch.Result:
        return function.function.run(*arguments, throw=True, shards=1, pad=pad)

    exact, padded = call(False), call(True)
    function.check(size, exact.value)
    function.check(size, padded.value)
    if function is not POWER:
        np.testing.assert_array_equal(padded.value, exact.value)
    times = alternate(
        {"exact": lambda: call(False).value, "padded": lambda: call(True).value}, rounds
    )
    over, spread = ratio(times["padded"], times["exact"])
    return {
        "program": function.name,
        "members": size,
        "lanes": lanes(function.function, arguments),
        "exact [ms]": 1e3 * float(np.median(times["exact"])),
        "padded over exact": over,
        "spread": spread,
    }


def lanes(function: pcbatch.Autobatched, arguments: tuple[tf.Tensor, ...]) -> int:
    """How many lanes a padded batch has."""
    given = function.read(*arguments)
    return function.specialize(given).cut(given.batch_size, RunOptions(shards=1)).lanes


@pcbatch.autobatch
def mean(a, b):
    """The arithmetic-geometric mean: a short loop over single numbers."""
    while abs(a - b) > 1e-5 * a:
        a, b = (a + b) / 2, tf.sqrt(a * b)
    return a


@pcbatch.autobatch
def power(v, turns):
    """Products with one matrix."""
    while turns > 0:
        v = tf.linalg.matvec(MATRIX, v)
        v = v / tf.norm(v)
        turns -= 1
    return v


@pcbatch.autobatch
def factor(a):
    """A matrix of each member: nothing is repeated, and each lane costs as much as the others."""
    return tf.linalg.cholesky(a)


def _mean_arguments(size: int) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(0)
    return tuple(generator.uniform(1, 100, (2, size)).astype(np.float32))


def _mean_expected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = a.astype(np.float64), b.astype(np.float64)
    for _ in range(10):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


def _power_arguments(size: int) -> tuple[np.ndarray, ...]:
    start = np.random.default_rng(0).normal(size=(size, WIDTH)).astype(np.float32)
    return start, np.full(size, PRODUCTS, np.int32)


def _power_expected(v: np.ndarray, turns: np.ndarray) -> np.ndarray:
    del turns
    v = v.astype(np.float64)
    for _ in range(PRODUCTS):
        v = v @ MATRIX.T
        v /= np.linalg.norm(v, axis=1, keepdims=True)
    return v


def _factor_arguments(size: int) -> tuple[np.ndarray, ...]:
    half = WIDTH // 2
    a = np.random.default_rng(0).normal(size=(size, half, half)).astype(np.float32)
    return (a @ a.transpose(0, 2, 1) + half * np.eye(half, dtype=np.float32),)


MEAN = Function("mean", mean, _mean_arguments, _mean_expected, error=1e-2)
POWER = Function("power", power, _power_arguments, _power_expected, error=NEAR)
FACTOR = Function("cholesky", factor, _factor_arguments, np.linalg.cholesky, error=NEAR)
BY_NAME = {f.name: f for f in (*FUNCTIONS, QUADRATURE, MEAN, POWER, FACTOR)}
