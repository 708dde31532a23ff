"""Runs on the engines of clusters that are here, each with two processes: `make cluster`.

    python -m tests.runtime.engines               # all of them, each in a process of its own
    python -m tests.runtime.engines loky parsl    # some

On each, `nuts.sample` and a program with recursion run in parts. The bits must be those of one
process. An engine that is not installed is skipped with its reason. One that is must work.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import tensorflow as tf

import nuts
import pcbatch
from tests.support.programs import fib
from tests.support.results import assert_same

Engine = Callable[[], contextlib.AbstractContextManager[Any]]
WORKERS, PARTS = 2, 3


def standard_library() -> Any:
    return ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn"))


@contextlib.contextmanager
def loky() -> Iterator[Any]:
    import loky

    executor = loky.get_reusable_executor(WORKERS)
    yield executor
    executor.shutdown()


@contextlib.contextmanager
def distributed() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    how = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**how) as cluster, Client(cluster) as client:
        yield client.get_executor()


def mpi4py() -> Any:
    """In a process that `mpiexec -n 3 python -m mpi4py.futures` has started."""
    from mpi4py.futures import MPIPoolExecutor

    return MPIPoolExecutor()


@contextlib.contextmanager
def parsl() -> Iterator[Any]:
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    here = {"address": "127.0.0.1", "provider": LocalProvider()}
    workers = HighThroughputExecutor(max_workers_per_node=WORKERS, **here)
    with tempfile.TemporaryDirectory() as folder:
        with ParslPoolExecutor(Config(executors=[workers], run_dir=folder)) as executor:
            yield executor


def executorlib() -> Any:
    """Workers that stay: else each task has a new process."""
    from executorlib import SingleNodeExecutor

    return SingleNodeExecutor(max_workers=WORKERS, block_allocation=True)


@contextlib.contextmanager
def ipyparallel() -> Iterator[Any]:
    import ipyparallel

    with ipyparallel.Cluster(n=WORKERS) as client:
        yield client.executor()


@contextlib.contextmanager
def ray() -> Iterator[Any]:
    import ray

    with ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False):
        yield pcbatch.executors.ray()


ENGINES: dict[str, Engine] = {
    "standard library": standard_library,
    "loky": loky,
    "distributed": distributed,
    "mpi4py": mpi4py,
    "parsl": parsl,
    "executorlib": executorlib,
    "ipyparallel": ipyparallel,
    "ray": ray,
}


def missing(name: str) -> str:
    """Why an engine cannot be tried here; "" where it can."""
    if name == "standard library":
        return ""
    try:
        importlib.import_module(name)
    except ImportError as error:
        return str(error)
    if name == "mpi4py" and mpiexec() is None:
        return "there is no mpiexec"
    return ""


def mpiexec() -> str | None:
    return shutil.which("mpiexec")


def command(name: str) -> list[str]:
    """What tries an engine in a process of its own."""
    module = ["-m", "tests.runtime.engines", "--here", name]
    if name != "mpi4py":
        return [sys.executable, *module]
    return [str(mpiexec()), "-n", str(WORKERS + 1), sys.executable, "-m", "mpi4py.futures", *module]


def check(name: str) -> None:
    """Compare runs on an engine with runs of this process."""
    scales = tf.constant([1.0, 9.0])

    def log_density(x: tf.Tensor) -> tf.Tensor:
        return -0.5 * tf.reduce_sum(x * x / scales)

    def sample(**where: Any) -> nuts.Fit:
        how = {"num_chains": 6, "num_draws": 16, "num_warmup": 40, "max_tree_depth": 4}
        return nuts.sample(log_density, tf.TensorSpec([2]), progress=False, **how, **where)

    n = tf.constant([3, 20, 7, 15, 1, 18])
    with ENGINES[name]() as executor:
        assert_same(fib.run(n, executor=executor, parts=PARTS), fib.run(n, shards=PARTS))
        there = sample(executor=executor, parts=PARTS)
    here = sample()
    for one, other in zip([there.draws, *there.stats], [here.draws, *here.stats], strict=True):
        np.testing.assert_array_equal(one, other)


def tried(name: str) -> str:
    """Try an engine in a process of its own, and say how it went.

    Raises:
      CalledProcessError: it did not work.
    """
    if why := missing(name):
        return f"skipped: {why}"
    began = time.perf_counter()
    subprocess.run(command(name), check=True)
    seconds = time.perf_counter() - began
    version = "" if name == "standard library" else f"{importlib.metadata.version(name)}: "
    return f"{version}the same bits, {seconds:.0f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="ENGINE", help=", ".join(ENGINES))
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args(arguments)
    for name in options.names or ENGINES:
        if options.here:
            check(name)
        else:
            print(f"{name} {tried(name)}", flush=True)


if __name__ == "__main__":
    main()
