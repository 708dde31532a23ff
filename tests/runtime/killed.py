"""Kill a run with checkpoints at random moments: `python -m tests.runtime.killed DIR`.

The process imports TensorFlow once and forks a child per kill before TensorFlow's runtime starts,
so that a kill costs no import. A child goes on from the last checkpoint, writes one after every
slice, and is killed with SIGKILL at a random moment after its first slice. With `--eager` the
machine runs without XLA, whose compilation is most of what a kill costs otherwise.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import random
import signal
import time
from typing import Any

import numpy as np

from pcbatch.runtime.control.checkpoint import load, previous
from pcbatch.vm.machine import Machine
from tests.support.programs import fib

XLA = (np.arange(11, dtype=np.int32),)
EAGER = (np.arange(7, dtype=np.int32),)


LONGEST = {True: 0.15, False: 0.4}
"""Seconds after which a running child is killed at the latest; a run takes a few of these."""


def child(path: str, out: str, ready: int, eager: bool) -> None:
    """What a forked process does: go on to the end, with a checkpoint after every slice."""
    advance, calls = Machine.advance_in_place, itertools.count()

    def advance_and_tell(machine: Machine, *args: Any) -> Any:
        if next(calls) == 1:  # the first one compiles
            os.write(ready, b"r")
        return advance(machine, *args)

    Machine.advance_in_place = advance_and_tell
    args = EAGER if eager else XLA
    result = fib.run(*args, checkpoint=path, every=0.0, resume=True, jit=not eager)
    whole = f"{out}.{os.getpid()}.npz"  # a kill while it is written leaves no half of a result
    np.savez(whole, value=result.value, status=result.status, steps=result.stats.steps)
    os.replace(whole, out)


def start(path: str, out: str, eager: bool) -> int:
    """Fork a child; returns its process id when it is about to run."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            child(path, out, write, eager)
        finally:
            os._exit(0)
    os.close(write)
    os.read(read, 1)
    os.close(read)
    return pid


def steps_of(path: str) -> int:
    """How far the checkpoint has come; it must be whole."""
    return int(load(path)[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the checkpoints go")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eager", action="store_true", help="without XLA")
    options = parser.parse_args()
    path, out = str(options.folder / "run"), str(options.folder / "end.npz")
    rng = random.Random(options.seed)
    plain = [fib.single(n) for n in (EAGER if options.eager else XLA)[0].tolist()]
    began, kills, advanced, ends, reached = time.perf_counter(), 0, 0, 0, 0
    while kills < options.kills or not ends:
        pid = start(path, out, options.eager)
        if kills < options.kills:
            time.sleep(rng.uniform(0.0, LONGEST[options.eager]))
            os.kill(pid, signal.SIGKILL)
        _, how = os.waitpid(pid, 0)
        if os.path.exists(previous(path)):
            steps_of(previous(path))
        steps = steps_of(path)
        assert steps >= reached, "a checkpoint went back"
        advanced += steps > reached
        reached = steps
        if os.WIFSIGNALED(how):
            kills += 1
        else:  # it came to its end first: begin anew
            assert np.load(out)["value"].tolist() == plain, "another result than plain Python's"
            ends, reached = ends + 1, 0
            assert ends <= 10 * options.kills, "runs come to their ends before they can be killed"
            os.remove(path)
            os.remove(previous(path))
    seconds = time.perf_counter() - began
    print(f"kills {kills} advanced {advanced} ends {ends} seconds {seconds:.0f}")


if __name__ == "__main__":
    main()
