"""Loops over large batches: calls of pcbatch over calls of `jax.jit(jax.vmap(...))` of the same.

Where all members make as many rounds, lock step loses nothing. Results are compared before they are
timed. First calls, which compile, are timed apart.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy as np
import tensorflow as tf

from bench import report
from bench.loops import LOOPS
from bench.timing import alternate, ratio, timed

NEAR = 1e-3
"""How far results may differ, relatively: a bisection ends with an interval of 1e-4."""
FEW = 0.01
"""The share of members whose counts may differ, as JAX rounds once where Python rounds twice."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench against_vmap`."""
    parser.add_argument("--loops", nargs="+", default=list(LOOPS), choices=list(LOOPS))
    parser.add_argument("--rounds", type=int, default=15)


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each loop at each of its sizes, and print a line for each as it comes."""
    rows = []
    for name in options.loops:
        for size in LOOPS[name].sizes:
            rows.append(_row(name, size, options.rounds))
            print(report.table(rows[-1:]), flush=True)
    return rows


def _row(name: str, size: int, rounds: int) -> dict[str, Any]:
    import jax.numpy as jnp

    from bench.peers.vmapped import VMAPPED

    loop = LOOPS[name]
    arrays = loop.arguments(size)
    tensors, theirs = [tf.constant(x) for x in arrays], [jnp.asarray(x) for x in arrays]
    calls = {
        "pcbatch": lambda: loop.function(*tensors),
        "jax": lambda: np.asarray(VMAPPED[name](*theirs)),
    }
    first = {who: timed(call) for who, call in calls.items()}
    ours, other = (np.asarray(first[who][1]) for who in ("pcbatch", "jax"))
    if ours.dtype.kind == "f":
        np.testing.assert_allclose(ours, other, rtol=NEAR, atol=NEAR)
    else:
        assert np.mean(ours != other) < FEW, name
    times = alternate(calls, rounds)
    over, spread = ratio(times["jax"], times["pcbatch"])
    return {
        "loop": name,
        "members": size,
        "pcbatch ms": 1e3 * statistics.median(times["pcbatch"]),
        "jax ms": 1e3 * statistics.median(times["jax"]),
        "over jax": over,
        "spread": spread,
        "first s": first["pcbatch"][0],
        "jax first s": first["jax"][0],
    }
