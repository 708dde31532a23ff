"""Vectorized single-example code against the same code batched by hand, and against other ways.

Each case runs, compiled in one process and in turn, as `pcbatch.vectorize`, as `tf.vectorized_map`
where that works, as `tf.map_fn` (one member after the other) and batched by hand: the limit.
Results are compared with the code batched by hand before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench import report
from bench.timing import alternate

WIDTH, HIDDEN, LONGEST = 768, 32, 100
Tensors = tuple[tf.Tensor, ...]


class Case(NamedTuple):
    """One example's code, the same code for a batch, and the arguments of a batch."""

    one: Callable[..., tf.Tensor]
    by_hand: Callable[..., tf.Tensor]
    arguments: Callable[[int], Tensors]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench vectorize`."""
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 32, 1024], help="members")
    parser.add_argument("--cases", nargs="+", default=list(CASES), help="what to run")
    parser.add_argument("--rounds", type=int, default=5, help="calls of each way")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Check and time each case at each batch size."""
    rows = []
    for name in options.cases:
        for size in options.batches:
            rows.append(_measure(name, CASES[name](), size, options.rounds))
            print(report.table(rows[-1:]), flush=True)
    return rows


def _measure(name: str, case: Case, size: int, rounds: int) -> dict[str, Any]:
    args = case.arguments(size)
    dtype = case.by_hand(*args).dtype
    ways: dict[str, Callable[..., tf.Tensor]] = {
        "pcbatch": pcbatch.vectorize(case.one),
        "by hand": case.by_hand,
        "map_fn": lambda *a: tf.map_fn(lambda x: case.one(*x), a, fn_output_signature=dtype),
        "vectorized_map": lambda *a: tf.vectorized_map(lambda x: case.one(*x), a),
    }
    compiled = {k: tf.function(f, autograph=False, jit_compile=True) for k, f in ways.items()}
    wanted = compiled["by hand"](*args)
    calls = {}
    for way, function in compiled.items():
        try:
            found = function(*args)
        except (tf.errors.InvalidArgumentError, ValueError):
            if way != "vectorized_map":
                raise
            continue
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4, err_msg=f"{name} {way}")
        calls[way] = lambda function=function: function(*args)
    times = {way: statistics.median(t) for way, t in alternate(calls, rounds).items()}
    return {
        "case": name,
        "members": size,
        **{f"{way} ms": 1e3 * times[way] if way in times else None for way in ways},
        "over by hand": times["pcbatch"] / times["by hand"],
        "map_fn over pcbatch": times["map_fn"] / times["pcbatch"],
    }


def _draw(*shape: int) -> tf.Tensor:
    return tf.constant(np.random.RandomState(sum(shape)).normal(size=shape) * 0.1, tf.float32)


def linear() -> Case:
    """A linear projection, 768 x 768."""
    weight = _draw(WIDTH, WIDTH)
    return Case(
        lambda x: tf.linalg.matvec(weight, x),
        lambda x: tf.matmul(x, weight, transpose_b=True),
        lambda size: (_draw(size, WIDTH),),
    )


def lstm() -> Case:
    """An LSTM with 32 units, over sequences whose lengths are uniform in 1 to 100."""
    kernel, bias = _draw(2 * HIDDEN, 4 * HIDDEN), _draw(4 * HIDDEN)

    def cell(joined: tf.Tensor, c: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        i, f, g, o = tf.split(joined, 4, -1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    def one(xs: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
        def body(t: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> Tensors:
            joined = tf.linalg.matvec(kernel, tf.concat([xs[t], h], 0), transpose_a=True) + bias
            return (t + 1, *cell(joined, c))

        zero = tf.zeros([HIDDEN])
        return tf.while_loop(lambda t, h, c: t < length, body, (0, zero, zero))[1]

    def by_hand(xs: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        def body(t: tf.Tensor, h: tf.Tensor, c: tf.Tensor) -> Tensors:
            new = cell(tf.concat([xs[:, t], h], 1) @ kernel + bias, c)
            live = (t < lengths)[:, tf.newaxis]
            return t + 1, tf.where(live, new[0], h), tf.where(live, new[1], c)

        zero, longest = tf.zeros([xs.shape[0], HIDDEN]), tf.reduce_max(lengths)
        return tf.while_loop(lambda t, h, c: t < longest, body, (0, zero, zero))[1]

    def arguments(size: int) -> Tensors:
        lengths = np.random.RandomState(size).randint(1, LONGEST + 1, size)
        return _draw(size, LONGEST, HIDDEN), tf.constant(lengths, tf.int32)

    return Case(one, by_hand, arguments)


CASES: dict[str, Callable[[], Case]] = {"linear": linear, "lstm": lstm}
