"""Programs that are begun in one process and ended in another: `python -m tests.runtime.elsewhere`.

    python -m tests.runtime.elsewhere DIR begin   # a step of each, with a checkpoint
    python -m tests.runtime.elsewhere DIR end     # goes on; prints results as JSON

The two have hash seeds of their own, so that sets of strings have another order. The programs read
what a user's may: tensors, arrays, sets and tables of their modules, closures, lambdas, attributes,
static arguments. `python -m tests.runtime.elsewhere DIR text` prints a digest of the lowered text
of shared programs in place of that.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import functools
import hashlib
import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs import BY_NAME
from tests.support.programs import fib

X = np.array([1.0, 2.0, 3.0], np.float32)
WEIGHTS = tf.constant([1.0, 2.0, 3.0])
ARRAY = np.arange(3.0, dtype=np.float32)
WORDS = {"alpha", "beta", "gamma", "delta"}
TABLE = {"x": 1.0, "y": 2.0}


class Mode(enum.Enum):
    FAST, SLOW = "fast", "slow"


@dataclasses.dataclass(frozen=True)
class Settings:
    step: float
    function: Callable[[Any], Any]
    words: frozenset[str] = frozenset(("p", "q", "r"))


def weighted(x):
    return tf.reduce_sum(WEIGHTS * x) + len(WORDS)


def closure(factor: float, offset: tf.Tensor) -> Any:
    scale = lambda y: y * factor + tf.reduce_sum(offset)  # noqa: E731

    def inner(y):
        return scale(y) + 1.0

    @pcbatch.autobatch(jit=False)
    def grow(x):
        a, b, count = 0.0, 1.0, 0
        while x < 50.0:
            a, b = b, a + b
            x = inner(x) + b
            if x > 10.0:
                count += 1
                a = a + x
        return x, a, b, count

    return grow


@pcbatch.autobatch(jit=False, static_argnames=("settings", "mode", "words"))
def configured(x, settings, mode, words):
    while x < 90.0:
        x = settings.function(x) + settings.step if mode is Mode.FAST else x + 1.0
        if "p" in words:
            x = x + weighted(x)
    return x


class Owner:
    def __init__(self) -> None:
        self.limit, self.words = 15.0, {"u", "v", "w"}
        self.function = lambda x: x * 2.0

    @pcbatch.autobatch(jit=False)
    def go(self, x):
        while x < self.limit:
            x = self.function(x) + 1.0 if "u" in self.words else x + 9.0
        return x


@pcbatch.autobatch(jit=False)
def tables(x):
    count = 0
    while x < 30.0:
        x = x * 1.5 + TABLE["x"] + ARRAY[2]
        count = count + 1
    return {"z": x, "b": count, "a": x + count}


@pcbatch.autobatch(jit=False)
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


FEW = Settings(1.0, functools.partial(lambda a, y: y + a, 2.0))
MANY = Settings(2.0, weighted)

RUNS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "closure": (closure(1.0, tf.constant([0.1, 0.2])), (X,)),
    "static": (configured, (X, MANY, Mode.FAST, frozenset(("p", "q", "zz")))),
    "partial": (configured, (X, FEW, Mode.SLOW, ("p",))),
    "method": (Owner().go, (X,)),
    "tables": (tables, (X,)),
    "fib": (fib, (np.arange(7, dtype=np.int32),)),
    "ackermann": (ackermann, (np.array([1, 2, 2], np.int32), np.array([2, 1, 2], np.int32))),
}


def run(name: str, **options: Any) -> Any:
    """Run one of them; its results as lists."""
    function, args = RUNS[name]
    result = function.run(*args, jit=False, **options)
    return tf.nest.map_structure(lambda x: x.numpy().tolist(), result.value)


LOWERED = (
    "ackermann",
    "hofstadter_q",
    "hofstadter_female",
    "tak",
    "alpha_beta",
    "longest_run",
    "insertion_sort",
    "coin_ways",
    "heap_permutations",
    "best_outcome",
    "backwards",
)
"""Programs whose variables are split and joined again in many ways."""


def texts() -> dict[str, str]:
    """The digest of each program's text in stack form."""
    found = {}
    for name in LOWERED:
        program = BY_NAME[name]
        lowered = program.function.lower(*program.args, **program.static)
        found[name] = hashlib.sha256(lowered.as_text().encode()).hexdigest()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("part", choices=("begin", "end", "text"))
    options = parser.parse_args()
    if options.part == "text":
        json.dump(texts(), sys.stdout)
        return
    how = {"max_steps": 1} if options.part == "begin" else {"resume": True}
    found = {name: run(name, checkpoint=options.folder / name, **how) for name in RUNS}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
