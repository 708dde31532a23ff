"""Workers that are killed at random moments: `python -m tests.runtime.killed_workers --kills 50`.

A batch runs on a pool of one process, of which each breaks with its process; a function makes the
next one. Processes are killed while they start, compile, run, and send. The end must be that of a
run that nothing disturbed, counts included.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import multiprocessing
import os
import random
import signal
import threading
import time
from typing import Any

import numpy as np

import pcbatch
from pcbatch.runtime.cluster import dispatch
from tests.support.results import assert_same

MEMBERS, PARTS = 64, 4
SLICE = 0.05
"""Seconds; a worker is killed many times before a part has ended."""
ROUNDS = 400_000
"""Of the loop of a member, at most: a run takes many lives of workers."""
LONGEST = 1.5
"""A worker lives for at most so many seconds after it has said that it is there."""


@pcbatch.autobatch
def wander(n):
    """Recursion of random depth within a long loop."""
    total = n * 0
    while n > 0:
        total += depth(n % 23)
        n -= 1
    return total


@pcbatch.autobatch
def depth(k):
    return 0 if k == 0 else 1 + depth(k - 1)


class Mortal:
    """A pool of one process, which is killed after a random time; it has `submit` alone."""

    def __init__(self, seconds: float | None):
        context = multiprocessing.get_context("spawn")
        self._pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
        if seconds is not None:
            self._pool.submit(os.getpid).add_done_callback(lambda x: self._doom(x, seconds))

    def submit(self, fn: Any, *args: Any) -> Any:
        return self._pool.submit(fn, *args)

    @staticmethod
    def _doom(process: concurrent.futures.Future[int], seconds: float) -> None:
        def kill() -> None:
            time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):  # the run is over, and so is the process
                os.kill(process.result(), signal.SIGKILL)

        threading.Thread(target=kill, daemon=True).start()


def check(kills: int, seed: int) -> int:
    """Kill so many workers of runs of one batch, as many runs as it takes.

    Args:
      kills: how many.
      seed: of the moments.

    Returns:
      How many runs there were.
    """
    rng = random.Random(seed)
    n = np.asarray([rng.randrange(ROUNDS) for _ in range(MEMBERS)], np.int32)
    whole = wander.run(n, shards=PARTS)
    killed, runs = 0, 0

    def worker() -> Mortal:
        nonlocal killed
        made = Mortal(rng.uniform(0, LONGEST) if killed < kills else None)
        killed += 1
        return made

    before, dispatch.SECONDS = dispatch.SECONDS, SLICE
    try:
        while killed <= kills:
            result = wander.run(n, executor=worker, parts=PARTS, retries=kills)
            assert_same(result, whole)
            runs += 1
    finally:
        dispatch.SECONDS = before
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.perf_counter()
    runs = check(options.kills, options.seed)
    seconds = time.perf_counter() - began
    print(f"{options.kills} workers killed in {runs} runs, to the same end, in {seconds:.0f} s")


if __name__ == "__main__":
    main()
