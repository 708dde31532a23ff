"""What it costs to run on workers: two processes of one core each, over two shards in one process.

NUTS on the 100-d normal: one run of its program, and with `--warmup` a whole fit. Both ways run in
turn; the costs are between the fastest calls, in wall time and in the processor time of all
processes. The second is what a machine tells that has other work: the host that packs and unpacks
shares the two cores with the workers. Values must be equal bit by bit. "host ms a task" is the
processor time of the process that began the run, for each task: what it packs, unpacks, sends and
starts. Bytes are those that `travel` makes, compressed.

With `--moves` a batch runs of which one part has all the work, with members that move to the idle
worker and with members that stay.

"busy on N" is no measurement. It is computed: with N workers the host has N tasks a slice, so that
workers wait for it from so many on as it can serve in a slice. It assumes that nothing else is
slower with more workers: no network that is full, no scheduler of the engine's.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import multiprocessing
import os
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
import pcbatch
from bench import report
from bench.sampler import Sampler
from bench.targets import Normal
from bench.timing import timed
from pcbatch.runtime.cluster import dispatch, moves

STEP_SIZE = 0.2
SIMULATED = (10, 100, 1000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `python -m bench cluster`."""
    parser.add_argument("--chains", type=int, default=1_000, help="batch size")
    parser.add_argument("--draws", type=int, default=500, help="draws per chain")
    parser.add_argument("--warmup", type=int, default=0, help="draws of it in a fit; 0: no fit")
    parser.add_argument(
        "--moves", type=int, default=0, help="instead: steps of the members of a slow part"
    )
    parser.add_argument("--rounds", type=int, default=3, help="timed calls of each way")
    parser.add_argument("--slices", nargs="+", type=float, default=[10.0, 1.0], help="seconds")


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure with each length of a slice, and print a line for each as it comes."""
    sampler = Sampler(Normal.uneven(), options.chains, STEP_SIZE, options.draws)
    context = multiprocessing.get_context("spawn")
    cores = context.SimpleQueue()
    for core in sorted(os.sched_getaffinity(0))[:2]:
        cores.put(core)
    rows = []
    with concurrent.futures.ProcessPoolExecutor(
        2, mp_context=context, initializer=_on_one_core, initargs=(cores,)
    ) as pool:
        if options.moves:
            return [_moves_row(pool, options)]
        for seconds in options.slices:
            rows.append(_row(sampler, Counted(pool), seconds, options))
            print(report.table(rows[-1:]), flush=True)
        if options.warmup:
            rows.append(_fit_row(Counted(pool), options))
            print(report.table(rows[-1:]), flush=True)
    return rows


def _on_one_core(cores: Any) -> None:
    """Keep a worker on a core of its own."""
    os.sched_setaffinity(0, {cores.get()})


class Counted:
    """An executor that counts tasks and bytes.

    Attributes:
      programs, tasks, answers: the bytes of each.
    """

    def __init__(self, executor: concurrent.futures.Executor):
        self._executor = executor
        self.clear()

    def clear(self) -> None:
        """Begin to count."""
        self.programs, self.tasks, self.answers = list[int](), list[int](), list[int]()

    def submit(self, fn: Any, wanted: str, program: bytes, *rest: bytes) -> Any:
        self.programs.append(len(program))
        self.tasks.append(sum(map(len, rest)))
        future = self._executor.submit(fn, wanted, program, *rest)
        future.add_done_callback(lambda done: self.answers.append(sum(map(len, done.result()))))
        return future


def _row(
    sampler: Sampler, executor: Counted, seconds: float, options: argparse.Namespace
) -> dict[str, Any]:
    """One run of the program, with slices of so many seconds."""
    here = functools.partial(sampler.result, options.draws, shards=2)
    there = functools.partial(sampler.result, options.draws, executor=executor, parts=2)
    before, dispatch.SECONDS = dispatch.SECONDS, seconds
    try:
        _check(there(), here())  # compiles, and learns the pace
        measured, host = _measured(here, there, executor, options)
    finally:
        dispatch.SECONDS = before
    busy = {f"busy on {n}": min(1.0, seconds / (n * host)) for n in SIMULATED}
    return {"what": "one run", "slice s": seconds, **measured, **busy}


def _fit_row(executor: Counted, options: argparse.Namespace) -> dict[str, Any]:
    """A whole fit: many short runs of the program."""
    density, init = Normal.uneven().log_density(), tf.TensorSpec([Normal.uneven().dim])
    how = {"num_draws": options.draws, "num_warmup": options.warmup, "progress": False}
    here = functools.partial(nuts.sample, density, init, num_chains=options.chains, **how)
    there = functools.partial(here, executor=executor, parts=2)
    one, other = there(), here()
    assert np.array_equal(one.draws, other.draws)
    measured, _ = _measured(here, there, executor, options)
    unknown = {f"busy on {n}": "" for n in SIMULATED}
    what = f"fit, {options.warmup} of warmup"
    return {"what": what, "slice s": dispatch.SECONDS, **measured, **unknown}


@pcbatch.autobatch
def _walk(n, x):
    for _ in range(n):
        x = tf.sin(x) + 0.1 * x
    return x


def _moves_row(pool: concurrent.futures.Executor, options: argparse.Namespace) -> dict[str, Any]:
    """A batch of two parts, of which one has all the work; its members move, and stay."""
    n = tf.repeat(tf.constant([1, options.moves]), 512)
    x = tf.random.stateless_uniform([1024, 1000], [1, 2])
    walk = functools.partial(_walk.run, n, x, executor=pool, parts=2, throw=True)
    seconds, before = dict[str, list[float]](), moves.SLICES
    dispatch.SECONDS = min(options.slices)
    try:
        for name, slices in (("stays", 10**9), ("moves", before)) * (1 + options.rounds):
            moves.SLICES = slices
            seconds.setdefault(name, []).append(timed(walk)[0])
    finally:
        moves.SLICES = before
    stay, move = (min(seconds[name][1:]) for name in ("stays", "moves"))
    return {
        "what": "one of two parts is slow",
        "slice s": dispatch.SECONDS,
        "members stay, s": stay,
        "members move, s": move,
        "ratio": move / stay,
    }


def _measured(
    here: Callable[[], Any],
    there: Callable[[], Any],
    executor: Counted,
    options: argparse.Namespace,
) -> tuple[dict[str, Any], float]:
    """What both ways cost, and the seconds of the host's processor for a task."""
    wall: dict[str, list[float]] = {"here": [], "there": []}
    alone, host, both = list[float](), list[float](), list[float]()
    for _ in range(options.rounds):
        began = time.process_time()
        wall["here"].append(timed(here)[0])
        alone.append(time.process_time() - began)
        executor.clear()
        began, before = time.process_time(), _children_seconds()
        wall["there"].append(timed(there)[0])
        host.append(time.process_time() - began)
        both.append(host[-1] + _children_seconds() - before)
    used = [seconds / len(executor.tasks) for seconds in host]
    return {
        "here s": min(wall["here"]),
        "workers s": min(wall["there"]),
        "workers over here": min(wall["there"]) / min(wall["here"]),
        "here cpu s": min(alone),
        "workers cpu s": min(both),
        "cpu over here": min(both) / min(alone),
        "tasks": len(executor.tasks),
        "program KB": executor.programs[0] / 1e3,
        "KB a member and task, there": float(np.mean(executor.tasks)) / options.chains * 2 / 1e3,
        "back": float(np.mean(executor.answers)) / options.chains * 2 / 1e3,
        "host ms a task": min(used) * 1e3,
    }, min(used)


def _children_seconds() -> float:
    """The processor time of all processes that this one has started and that still run."""
    ticks = 0
    for child in multiprocessing.active_children():
        fields = pathlib.Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])  # in this process, and for it in the kernel
    return ticks / os.sysconf("SC_CLK_TCK")


def _check(result: pcbatch.Result, expected: pcbatch.Result) -> None:
    """Compare bit by bit, counts included."""
    assert result.stats == expected.stats
    leaves = zip(tf.nest.flatten(result.value), tf.nest.flatten(expected.value), strict=True)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in leaves)
