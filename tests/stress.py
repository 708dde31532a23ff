"""Random programs with random faults: `python -m tests.stress --seconds 480 --kills 50 --seed 0`.

Every program is one of the generator's, in which an `assert` or a `raise` has been put that some
members fail. It runs in one of several ways that stop members or the whole run at random: stacks
that are too shallow or may not grow, a step limit, Ctrl-C amid the run and going on from the
checkpoint, lanes that are refilled. Every member that nothing has stopped must give plain Python's
result, every member that fails in plain Python must fail for that reason or have been stopped
before, and no other member may fail. Before that, a run is killed again and again, see
`tests.runtime.killed`, workers of an executor are, see `tests.runtime.killed_workers`, and calls of
`nuts.sample` are, see `tests.nuts.sampled`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import HealthCheck, Phase, given, seed, settings

import pcbatch
from pcbatch.local_static.run import Run
from pcbatch.runtime import driver
from pcbatch.vm import room
from pcbatch.vm.machine import Machine
from tests.conformance.generator import ARGS, as_program, sources
from tests.conformance.programs import Program
from tests.conformance.runners import deep_recursion, to_plain
from tests.fuzz import Enough
from tests.nuts import sampled
from tests.runtime import killed_workers

SCHEDULES = ("sweep", "switch", "switch-most-active")
FAILED = pathlib.Path(tempfile.gettempdir(), "pcbatch_stress_failed.py")
INJECTED = "injected fault"
STOPPED = (pcbatch.Status.STACK_OVERFLOW, pcbatch.Status.STEP_LIMIT, pcbatch.Status.CANCELLED)


NEST = """\
@pcbatch.autobatch
def nest(k):
    return 0 if k <= 0 else 1 + nest(k - 1)
"""
DEEPEST = 9
"""How deep a member recurses in `nest`, at most; not at all if it has no fuel."""


def injected(source: str, rng: random.Random) -> str:
    """The program with an assertion, or a `raise`, at the head of a random function.

    Its entry recurses on, so that stacks that are too shallow for some members can be injected.
    """
    entry = "return f0(fuel, log, a, b, c, d), log"
    assert entry in source
    source = source.replace(entry, f"{entry}, nest({DEEPEST // 3} * fuel)")
    source = source.replace(
        "@pcbatch.autobatch\ndef main", f"{NEST}\n\n@pcbatch.autobatch\ndef main"
    )
    heads = list(re.finditer(r"^def f\d+\(fuel, log.*\):\n", source, re.MULTILINE))
    head = rng.choice(heads)
    test = f"fuel == {rng.randint(0, 3)} and log[{rng.randint(0, 3)}] % 3 == {rng.randint(0, 2)}"
    fault = rng.choice(
        (
            f'    assert not ({test}), "{INJECTED}"\n',
            f'    if {test}:\n        raise ValueError("{INJECTED}")\n',
        )
    )
    return source[: head.end()] + fault + source[head.end() :]


def plain(program: Program) -> list[Any]:
    """Plain Python's result of each member; None for one that fails."""
    members = []
    with deep_recursion(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for index in range(program.batch_size()):
            try:
                value = program.function.single(*program.member(index))
            except (AssertionError, ValueError) as error:
                assert str(error) == INJECTED, error
                members.append(None)
            else:
                members.append(tf.nest.map_structure(to_plain, value))
    return members


class Stress:
    """Runs programs until the time is over, and counts what was checked.

    Args:
      seconds: how long.
      compile_every: compile about one program in so many with XLA.
    """

    def __init__(self, seconds: float, compile_every: int):
        self.limit, self.compile_every = seconds, compile_every
        self.counts: collections.Counter[str] = collections.Counter()
        self.current: str | None = None
        self.start = time.perf_counter()

    def check(self, source: str) -> None:
        """Run one program in one way.

        Raises:
          Enough: the time is over.
          AssertionError: a member is not what it must be.
        """
        if time.perf_counter() - self.start > self.limit:
            raise Enough
        digest = int(hashlib.sha1(source.encode()).hexdigest(), 16)
        rng = random.Random(digest)
        self.current = source = injected(source, rng)
        program = as_program(source)
        expected = plain(program)
        jit = rng.randrange(self.compile_every) == 0
        how = {"schedule": rng.choice(SCHEDULES), "jit": jit}
        way = rng.choice(WAYS)
        for result in way(program, how, rng):
            self._compare(result, expected, way.__name__)
        self.counts["programs"] += 1
        self.counts[f"way: {way.__name__.replace('_', ' ')}"] += 1
        self.counts["compiled with XLA"] += jit
        self.current = None

    def _compare(self, result: pcbatch.Result, expected: list[Any], way: str) -> None:
        self.counts["runs"] += 1
        value = tf.nest.map_structure(np.asarray, result.value)
        for member, (status, plain_value) in enumerate(
            zip(result.status.numpy().tolist(), expected, strict=True)
        ):
            if status in STOPPED:
                shallow = status == pcbatch.Status.STACK_OVERFLOW
                assert not (shallow and ARGS[0][member] == 0), "it does not recurse"
                self.counts[f"members: {pcbatch.Status(status).name.lower()}"] += 1
            elif plain_value is None:
                assert status >= pcbatch.Status.FAILED, (way, member, status)
                assert INJECTED in result.message(member)
                self.counts["members: failed, as in plain Python"] += 1
            else:
                assert status == pcbatch.Status.DONE, (way, member, result.message(member))
                row = tf.nest.map_structure(lambda x, m=member: x[m], value)
                tf.nest.assert_same_structure(row, plain_value)
                for a, b in zip(tf.nest.flatten(row), tf.nest.flatten(plain_value), strict=True):
                    np.testing.assert_array_equal(a, b, err_msg=f"{way}, member {member}")
                self.counts["members: equal to plain Python"] += 1


# --- The ways to run a program -----------------------------------------------------------------


def to_the_end(program: Program, how: dict, rng: random.Random) -> Iterator[pcbatch.Result]:
    """Nothing stops it but the injected fault; stacks grow from one frame."""
    with first_capacity(1):
        yield program.function.run(*program.args, **how)


def shallow_stacks(program: Program, how: dict, rng: random.Random) -> Iterator[pcbatch.Result]:
    yield program.function.run(*program.args, **how, max_stack_depth=rng.randint(1, DEEPEST - 1))


def little_memory(program: Program, how: dict, rng: random.Random) -> Iterator[pcbatch.Result]:
    """Stacks grow from one frame, until the memory that they may use is too little."""
    with first_capacity(1):
        yield program.function.run(*program.args, **how, max_stack_bytes=rng.randint(1, 500))


def step_limit(program: Program, how: dict, rng: random.Random) -> Iterator[pcbatch.Result]:
    yield program.function.run(*program.args, **how, max_steps=rng.randint(1, 60))


def cancelled_and_resumed(
    program: Program, how: dict, rng: random.Random
) -> Iterator[pcbatch.Result]:
    """Ctrl-C after a random number of slices, and on from the checkpoint, a few times."""
    with tempfile.TemporaryDirectory() as folder, short_slices():
        options = {**how, "checkpoint": f"{folder}/run", "resume": True}
        for _ in range(rng.randint(1, 3)):
            with ctrl_c_after(rng.randint(1, 12)):
                yield program.function.run(*program.args, **options)
        yield program.function.run(*program.args, **options)


def cancelled_between_blocks(
    program: Program, how: dict, rng: random.Random
) -> Iterator[pcbatch.Result]:
    """Ctrl-C under local static batching; who has returned by then keeps the result."""
    with ctrl_c_after(rng.randint(1, 60), Run, "_count"):
        yield program.function.run(*program.args, strategy="local")


def refilled_lanes(program: Program, how: dict, rng: random.Random) -> Iterator[pcbatch.Result]:
    examples = map(program.member, range(program.batch_size()))
    yield pcbatch.map(program.function, examples, lanes=rng.randint(1, 5), **how).result()


WAYS = (
    to_the_end, shallow_stacks, little_memory, step_limit, cancelled_and_resumed,
    cancelled_between_blocks, refilled_lanes,
)  # fmt: skip


@contextlib.contextmanager
def first_capacity(frames: int) -> Iterator[None]:
    """Have stacks begin with so many frames."""
    before, room.LONG_STACK = room.LONG_STACK, frames
    try:
        yield
    finally:
        room.LONG_STACK = before


@contextlib.contextmanager
def short_slices() -> Iterator[None]:
    """Have the loop return to the host after every bit of work."""
    before, driver.SLICE_SECONDS = driver.SLICE_SECONDS, 1e-6
    try:
        yield
    finally:
        driver.SLICE_SECONDS = before


@contextlib.contextmanager
def ctrl_c_after(
    calls: int, owner: Any = Machine, name: str = "advance_in_place"
) -> Iterator[None]:
    """Send this process Ctrl-C before a call of a method; of the machine's slices by default."""
    original, left = getattr(owner, name), [calls]

    def interrupted(*args: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return original(*args)

    setattr(owner, name, interrupted)
    try:
        yield
    finally:
        setattr(owner, name, original)


def kill(times: int, number: int) -> str:
    """Kill a run so many times; what `tests.runtime.killed` says of it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.runtime.killed", folder, "--kills", str(times)]
        done = subprocess.run(
            [*command, "--seed", str(number)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        end = np.load(pathlib.Path(folder) / "end.npz")
        from tests.runtime.killed import XLA
        from tests.support.programs import fib

        whole = fib.run(*XLA)
        np.testing.assert_array_equal(end["value"], whole.value)
        np.testing.assert_array_equal(end["status"], whole.status)
        assert end["steps"] == whole.stats.steps
        return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=480, help="start no program after so long")
    parser.add_argument("--kills", type=int, default=50, help="how often to kill a run")
    parser.add_argument("--workers", type=int, default=0, help="how many workers to kill")
    parser.add_argument("--calls", type=int, default=0, help="calls of nuts.sample, of three kills")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same programs")
    parser.add_argument("--compile-every", type=int, default=20, help="one in N with XLA")
    options = parser.parse_args()
    # A shell starts its background jobs with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.kills:
        print(f"killed with SIGKILL: {kill(options.kills, options.seed)}", flush=True)
    if options.workers:
        runs = killed_workers.check(options.workers, options.seed)
        print(f"{options.workers} workers killed in {runs} runs, to the same ends", flush=True)
    for i in range(options.calls):
        kills = sampled.check(options.seed + i, kills=3)
        print(f"nuts.sample killed {kills} times, and gone on with to the same draws", flush=True)
    # Each program is run once: optimizing its graphs would cost more than it saves.
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    stress = Stress(options.seconds, options.compile_every)
    run = settings(
        max_examples=1_000_000,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )(given(sources())(stress.check))
    try:
        seed(options.seed)(run)()
    except Enough:
        pass
    finally:
        if stress.current is not None:
            FAILED.write_text(stress.current)
            print(f"failed; the program is in {FAILED}", flush=True)
        for name, count in sorted(stress.counts.items()):
            print(f"{name}: {count:,}")
        print(f"seconds: {time.perf_counter() - stress.start:.0f} (seed {options.seed})")


if __name__ == "__main__":
    main()
