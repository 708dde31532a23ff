"""How near the batched sampler comes to the limit: a bare loop of batched gradients.

The limit is an XLA while loop that computes nothing but gradients, batched by hand, in the same
process on the same data. A sampler loses bookkeeping, lanes of the gradient block that are empty
while their chains are elsewhere, and the log density, which it needs beside each gradient: the
column "with density" is the ratio to a bare loop that computes both.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from bench import report
from bench.sampler import Sampler, check_record, gradient_block
from bench.targets import LogisticRegression, Target
from bench.timing import measure, seconds
from nuts.sampler.chain import Record

STEP_SIZE = 0.02
ROUNDING = 1e-3  # float32 sums of 10,000 terms in another order, relative to the largest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench limit`."""
    declare(parser, chains=[1, 10, 100, 1000], calls=3)
    parser.add_argument("--strategy", default="pc", help="how pcbatch runs the sampler")


def declare(parser: argparse.ArgumentParser, chains: list[int], calls: int) -> None:
    """Declare the options of a sampler on the logistic regression, with these defaults."""
    parser.add_argument("--chains", type=int, nargs="+", default=chains, help="numbers of chains")
    parser.add_argument("--draws", type=int, default=100, help="draws per chain")
    parser.add_argument("--calls", type=int, default=calls, help="timed calls of each program")
    parser.add_argument("--points", type=int, default=10_000, help="data points")
    parser.add_argument("--regressors", type=int, default=100, help="regressors")
    parser.add_argument("--schedule", default="auto", help="the schedule of strategy pc")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all numbers of chains and print a line for each as it comes."""
    return each(options, _row)


def each(
    options: argparse.Namespace, row: Callable[[Target, int, argparse.Namespace], dict[str, Any]]
) -> list[dict[str, Any]]:
    """Measure the target of `declare` with each number of chains, and print each line."""
    target = LogisticRegression.synthetic(options.points, options.regressors)
    rows = []
    for chains in options.chains:
        rows.append(row(target, chains, options))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _row(target: Target, chains: int, options: argparse.Namespace) -> dict[str, Any]:
    check_gradients(target, chains)
    limit = limit_rate(target, chains, options.calls, with_density=False)
    both = limit_rate(target, chains, options.calls, with_density=True)
    how = {"strategy": options.strategy, "schedule": options.schedule}
    sampler = Sampler(target, chains, STEP_SIZE, options.draws, **how)
    records = []

    def once() -> Record:
        records.append(sampler.record(options.draws))
        return records[-1]

    timing = measure(once, options.calls, check_record)
    for repeated in records[1:]:
        np.testing.assert_array_equal(repeated.position, records[0].position)
    leapfrogs = int(records[0].num_leapfrogs.sum())
    rate = leapfrogs / timing.median
    block = gradient_block(sampler.stats, leapfrogs)
    return {
        "chains": chains,
        "compile s": timing.compile,
        "run s": timing.median,
        "spread": timing.spread,
        "leapfrogs/draw": leapfrogs / (chains * options.draws),
        "gradients/s": rate,
        "limit/s": limit,
        "ratio": rate / limit,
        "with density": rate / both,
        "utilization": block and block.utilization,
    }


def check_gradients(target: Target, chains: int) -> None:
    """Compare both forms of the target with NumPy.

    Raises:
      AssertionError: they differ by more than rounding.
    """
    positions = target.starts(min(chains, 4))
    log_density = target.log_density()
    values, gradients = (part.numpy() for part in target.batched()(positions))
    for position, *by_hand in zip(positions, values, gradients, strict=True):
        value, gradient = target.exact(position)
        variable = tf.constant(position)
        with tf.GradientTape() as tape:
            tape.watch(variable)
            single = log_density(variable)
        scale = np.abs(gradient).max()
        np.testing.assert_allclose(single, value, rtol=ROUNDING)
        np.testing.assert_allclose(tape.gradient(single, variable), gradient, atol=ROUNDING * scale)
        np.testing.assert_allclose(by_hand[0], value, rtol=ROUNDING)
        np.testing.assert_allclose(by_hand[1], gradient, atol=ROUNDING * scale)


def limit_rate(target: Target, chains: int, calls: int, with_density: bool) -> float:
    """Measure gradients per second of the bare loop, at the best of several loop lengths."""
    loop, start = bare_loop(target, with_density), tf.constant(target.starts(chains))
    seconds(lambda: loop(start, tf.constant(1)))
    each = seconds(lambda: loop(start, tf.constant(3))) / 3
    lengths = sorted({max(3, round(budget / each)) for budget in (0.1, 0.3, 1.0)})
    times = {n: measure(lambda n=n: loop(start, tf.constant(n)), calls).best / n for n in lengths}
    for part in loop(start, tf.constant(3)):
        assert np.isfinite(part).all()
    return chains / min(times.values())


def bare_loop(target: Target, with_density: bool) -> tf.types.experimental.Callable:
    """Compile a loop of so many gradients, each taken where the one before leads."""
    value_and_gradient = target.batched()

    def step(i: tf.Tensor, positions: tf.Tensor, total: tf.Tensor) -> tuple[tf.Tensor, ...]:
        value, gradient = value_and_gradient(positions)
        # The next position must need the gradient, or XLA would move it out of the loop.
        return i + 1, positions + 1e-8 * gradient, total + value if with_density else total

    @tf.function(jit_compile=True, autograph=False)
    def loop(positions: tf.Tensor, length: tf.Tensor) -> tuple[tf.Tensor, ...]:
        start = (tf.constant(0), positions, tf.zeros(positions.shape[0]))
        return tf.while_loop(lambda i, *_: i < length, step, start)[1:]

    return loop
