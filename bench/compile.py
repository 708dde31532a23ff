"""What the first call costs before anything runs: each stage of compiling apart.

`decorate` is `pcbatch.autobatch` itself; `front end` reads the source and infers types, `passes`
are those over both forms; `tracing` builds the TensorFlow graph of the whole machine; `XLA` is what
the first run takes beyond a later one; `CPU` is the processor time of the front end and the passes,
which other programs on the machine disturb less. Every program is run and its result checked before
any stage is timed. Then the stages are timed in a fresh process: once for the first specialization,
which also pays for what TensorFlow sets up on first use, and again for fresh copies of it.

How compile times grow is seen from programs of any length (`tests/passes/long_programs.py`).
They are named by kind and length: `--programs loops:20 loops:40`, or all kinds with
`--growth 20 40`.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import pcbatch
from bench import apart, report
from bench.sampler import MAX_TREE_DEPTH, Sampler, check_record
from bench.targets import LogisticRegression
from bench.timing import seconds
from nuts.adaptation.ensemble import chain_keys
from nuts.sampler.chain import chain
from nuts.sampler.trajectory import evaluate
from nuts.sampler.tuning import Settings, make_tuning
from tests.conformance import runners
from tests.conformance.programs import BY_NAME
from tests.passes import long_programs

GOAL = 1.0
"""Seconds for the front end and the passes of NUTS on two cores."""
SMALL = ("fib", "expression_parser")
CHAINS, DRAWS, STEP_SIZE = 100, 5, 0.02


class Case(NamedTuple):
    """A program to compile.

    Attributes:
      decorate: makes it anew.
      args: what to call it on.
    """

    decorate: Callable[[], Any]
    args: tuple[Any, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench compile`."""
    parser.add_argument("--programs", nargs="+", default=["nuts", *SMALL], help="what to compile")
    parser.add_argument("--growth", nargs="+", type=int, help="long programs of these lengths")
    parser.add_argument("--repeats", type=int, default=3, help="fresh copies after the first")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Check and measure each program in a process of its own."""
    rows = []
    for name in _names(options):
        apart.call(check, name=name)
        rows.append(apart.call(measure_program, name=name, repeats=options.repeats))
        print(report.table(rows[-1:]), flush=True)
    return rows


def _names(options: argparse.Namespace) -> list[str]:
    """The programs, or the long ones of each kind and length."""
    if not options.growth:
        return list(options.programs)
    return [f"{kind}:{number}" for kind in long_programs.KINDS for number in options.growth]


def measure_program(name: str, repeats: int) -> dict[str, Any]:
    """The stages of one program, in seconds."""
    case = _case(name)
    first = _stages(case)
    again = [_stages(case) for _ in range(repeats)]
    usual = {stage: statistics.median(s[stage] for s in again) for stage in again[0]}
    return {
        "program": name,
        "decorate": usual["decorate"],
        "front end": usual["front end"],
        "passes": usual["passes"],
        "both, first": first["front end"] + first["passes"],
        "CPU, first": first["CPU"],
        "CPU": usual["CPU"],
        "goal": GOAL,
        "tracing": usual["tracing"],
        "XLA": _xla_seconds(case),
    }


def check(name: str) -> None:
    """Run a program and compare it with plain Python; of NUTS, check what it records.

    Raises:
      AssertionError: the result is wrong.
    """
    if name == "nuts":
        sampler = Sampler(_target(), CHAINS, STEP_SIZE, DRAWS)
        check_record(sampler.record(DRAWS))
        return
    if ":" in name:
        function, x = _long(name)
        expected = function.lower(x).interpret("call")
        np.testing.assert_allclose(function(x), expected, rtol=1e-5, atol=1e-4)
        return
    program = BY_NAME[name]
    result = runners.RUNNERS["xla-auto"](program)
    runners.assert_matches(result, runners.plain_members(program), program.roundings)


def _case(name: str) -> Case:
    if name == "nuts":
        return nuts_case()
    if ":" in name:
        return Case(lambda: _long(name)[0], (_long(name)[1],))
    program = BY_NAME[name]
    plain = program.function._function
    return Case(lambda: pcbatch.autobatch(plain), program.args)


def _long(name: str) -> tuple[Any, np.ndarray]:
    """A long program, made anew, and its argument."""
    kind, number = name.split(":")
    folder = Path(tempfile.mkdtemp())
    return long_programs.make(kind, int(number), folder), long_programs.argument(kind)


def _target() -> LogisticRegression:
    return LogisticRegression.synthetic(points=1000, regressors=20)


def nuts_case() -> Case:
    """NUTS as it is compiled here."""
    target = _target()
    settings = Settings(target.log_density())
    starts = tf.constant(target.starts(CHAINS))
    point = pcbatch.vectorize(lambda position: evaluate(settings.target, position))(starts)
    tuning = make_tuning(np.float32(STEP_SIZE), np.ones(target.dim), MAX_TREE_DEPTH, tf.float32)
    numbers = (tf.constant(n) for n in (0, DRAWS, 1))
    args = (settings, DRAWS, point, chain_keys(0, CHAINS)[1], tuning, *numbers)
    decorate = functools.partial(
        pcbatch.autobatch,
        chain,
        in_axes=(None, None, 0, 0, None, None, None, None),
        static_argnames=("settings", "length"),
    )
    return Case(decorate, args)


def _stages(case: Case) -> dict[str, float]:
    began = time.perf_counter()
    function = case.decorate()
    decorated = time.perf_counter() - began
    busy = time.process_time()
    lowered = function.lower(*case.args)
    busy = time.process_time() - busy
    began = time.perf_counter()
    lowered.compile()
    return {
        "decorate": decorated,
        **lowered.seconds,
        "CPU": busy,
        "tracing": time.perf_counter() - began,
    }


def _xla_seconds(case: Case) -> float:
    """The first run of a traced program, without what a later run takes."""
    compiled = case.decorate().lower(*case.args).compile()
    first = seconds(lambda: compiled.run(*case.args).value)
    return first - min(seconds(lambda: compiled.run(*case.args).value) for _ in range(3))
