"""How much memory the first call of a sampler takes: `python -m tests.memory --widths 1 300 9`.

Compiling once took all memory of a machine, for positions of some widths and on some processors
only. The campaign compiles a sampler for positions of many widths, and for twenty typical targets,
under the instruction sets that XLA can be told to keep to. Each has a process of its own, with a
limit on the memory that it may have: one that needs more fails, and nothing else does.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
from nuts.models import MODELS

ISAS = ("SSE4_2", "AVX2", "AVX512")
"""Vectors of four, eight and sixteen floats; XLA takes fewer where the processor has fewer."""
LIMIT = 3000
"""Megabytes that a process may take: two and a half times what one takes that is right."""
CHAINS = 100

Target = tuple[Callable[[Any], tf.Tensor], Any]


def _regression(points: int, width: int) -> tuple[tf.Tensor, tf.Tensor]:
    rng = np.random.default_rng(0)
    matrix = tf.constant(rng.normal(size=(points, width)), tf.float32)
    return matrix, tf.constant(rng.normal(size=points), tf.float32)


def _normal(width: int) -> Target:
    return lambda x: -0.5 * tf.reduce_sum(x**2), tf.TensorSpec([width])


def _product(width: int) -> Target:
    def density(u: Any) -> tf.Tensor:
        return -0.5 * tf.reduce_sum((u["z"] * tf.exp(u["l"])) ** 2 + u["l"] ** 2)

    return density, dict.fromkeys("zl", tf.TensorSpec([width]))


def _sums(width: int) -> Target:
    def density(u: Any) -> tf.Tensor:
        square = (1.0 - tf.reduce_sum(u["z"] * u["l"])) ** 2
        return -0.5 * (tf.reduce_sum(u["z"] ** 2) + tf.reduce_sum(u["l"] ** 2) + square)

    return density, dict.fromkeys("zl", tf.TensorSpec([width]))


def _linear(width: int) -> Target:
    matrix, y = _regression(100, width)

    def density(w: Any) -> tf.Tensor:
        return -0.5 * tf.reduce_sum((y - tf.linalg.matvec(matrix, w)) ** 2) - tf.reduce_sum(w**2)

    return density, tf.TensorSpec([width])


def _scaled(width: int) -> Target:
    matrix, y = _regression(100, width)

    def density(u: Any) -> tf.Tensor:
        fit = tf.linalg.matvec(matrix, u["z"] * tf.exp(u["l"]))
        return -0.5 * (tf.reduce_sum((y - fit) ** 2) + tf.reduce_sum(u["z"] ** 2 + u["l"] ** 2))

    return density, dict.fromkeys("zl", tf.TensorSpec([width]))


def _one_scale(width: int) -> Target:
    matrix, y = _regression(100, width)

    def density(u: Any) -> tf.Tensor:
        fit = tf.linalg.matvec(matrix, u["z"] * tf.exp(u["t"]))
        return -0.5 * (tf.reduce_sum((y - fit) ** 2) + tf.reduce_sum(u["z"] ** 2)) - u["t"] ** 2

    return density, {"z": tf.TensorSpec([width]), "t": tf.TensorSpec([])}


def _missing(width: int) -> Target:
    """A regression on a variable of which some values are missing, and are sampled."""
    matrix, y = _regression(100, 1)
    places = tf.range(width)[:, tf.newaxis]

    def density(u: Any) -> tf.Tensor:
        x = matrix[:, 0] + tf.scatter_nd(places, u["x"], [100])
        error = tf.reduce_sum((y - u["b"] * x) ** 2) * tf.exp(-2.0 * u["s"])
        return -0.5 * (error + tf.reduce_sum(u["x"] ** 2)) - 100.0 * u["s"] - u["b"] ** 2

    return density, {"x": tf.TensorSpec([width]), "b": tf.TensorSpec([]), "s": tf.TensorSpec([])}


def _logistic(width: int) -> Target:
    matrix, y = _regression(100, width)
    labels = tf.cast(y > 0.0, tf.float32)

    def density(w: Any) -> tf.Tensor:
        logits = tf.linalg.matvec(matrix, w)
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        return -tf.reduce_sum(loss) - 0.5 * tf.reduce_sum(w**2)

    return density, tf.TensorSpec([width])


def _horseshoe(width: int) -> Target:
    matrix, y = _regression(100, width)

    def density(u: Any) -> tf.Tensor:
        scales = tf.exp(u["l"] + u["t"] + u["s"])
        error = (y - tf.linalg.matvec(matrix, u["z"] * scales)) * tf.exp(-u["s"])
        half_cauchy = tf.reduce_sum(u["l"] - tf.math.log1p(tf.exp(2.0 * u["l"])))
        prior = half_cauchy - 0.5 * tf.reduce_sum(u["z"] ** 2) - u["t"] ** 2 - u["s"] ** 2
        return prior - 0.5 * tf.reduce_sum(error**2) - 100.0 * u["s"]

    rows = dict.fromkeys("zl", tf.TensorSpec([width]))
    return density, {**rows, "t": tf.TensorSpec([]), "s": tf.TensorSpec([])}


def _random_walk(width: int) -> Target:
    _, y = _regression(width, 1)

    def density(x: Any) -> tf.Tensor:
        steps = tf.reduce_sum((x[1:] - x[:-1]) ** 2)
        return -0.5 * (steps + tf.reduce_sum((x - y) ** 2))

    return density, tf.TensorSpec([width])


FORMS: dict[str, Callable[[int], Target]] = {
    "normal": _normal,
    "product": _product,
    "sums": _sums,
    "linear": _linear,
    "scaled": _scaled,
    "one scale": _one_scale,
    "missing": _missing,
    "logistic": _logistic,
    "horseshoe": _horseshoe,
    "random walk": _random_walk,
}
"""Targets of any width."""
TYPICAL = {**dict.fromkeys(FORMS, 30), **dict.fromkeys(MODELS, 0)}
"""Twenty targets, with widths for those that have any."""


def _peak() -> int:
    """The most megabytes that this process has had: not, as `getrusage` says, its parent's."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) // 1024


def _watch(limit: int) -> None:
    """End the process when it takes more megabytes: a limit of the system's may hang TensorFlow."""
    while _peak() <= limit:
        time.sleep(0.1)
    os._exit(9)


def compile_and_run(name: str, width: int, limit: int) -> None:
    """Sample a little, so that all is compiled, and print the megabytes and seconds it took."""
    threading.Thread(target=_watch, args=(limit,), daemon=True).start()
    target, init = FORMS[name](width) if name in FORMS else MODELS[name].problem()
    began = time.perf_counter()
    nuts.sample(
        target,
        init,
        num_chains=CHAINS,
        num_draws=2,
        num_warmup=0,
        step_size=0.01,
        progress=False,
    )
    print(f"took {_peak()} MB {time.perf_counter() - began:.1f} s")


def measured(name: str, width: int, isa: str, timeout: float = 600.0) -> tuple[int, float] | None:
    """The megabytes and seconds of a first call under a limit; None if it failed."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_max_isa={isa}"
    command = [sys.executable, "-m", "tests.memory", "--one", name, str(width), str(LIMIT)]
    try:
        ended = subprocess.run(
            command,
            env={**os.environ, "XLA_FLAGS": flags},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"took (\d+) MB ([\d.]+) s", ended.stdout)
    return (int(found[1]), float(found[2])) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", nargs=3, metavar=("TARGET", "WIDTH", "MB"), help="in this process")
    parser.add_argument("--widths", nargs=3, type=int, default=(1, 300, 9), help="from, to, step")
    parser.add_argument("--isas", nargs="+", default=list(ISAS))
    options = parser.parse_args()
    if options.one:
        compile_and_run(options.one[0], *map(int, options.one[1:]))
        return
    first, last, step = options.widths
    cases = [("normal", width) for width in range(first, last + 1, step)] + [*TYPICAL.items()]
    failed = 0
    for isa in options.isas:
        for name, width in cases:
            found = measured(name, width, isa)
            failed += found is None
            said = f"{found[0]} MB, {found[1]:.1f} s" if found else "over the limit, or out of time"
            print(f"{isa:7} {name:25} {width or '':3} {said}", flush=True)
    raise SystemExit(f"{failed} failed" if failed else 0)


if __name__ == "__main__":
    main()
