"""Random programs by the thousand: `python -m tests.fuzz --programs 10000 --seed 0`.

Every program runs in plain Python and in the reference interpreter of the stack form; one in
`--call-every` also in that of the call form, one in `--eager-every` in one of the eager runtimes,
and one in `--compile-every` is compiled with XLA, each schedule in turn. One in `--python-every` is
on Python's own numbers and lists, or on objects and containers that are changed in place, and is
held against Python without pcbatch. The first failure is
shrunk, and the smallest program that fails is kept in `tests/conformance/regressions/`,
where the tests find it. A program on Python's numbers that is refused is counted apart from those
that ran. No program is run twice; with `--journal FILE` and `--seconds` a long campaign can be made
in pieces, each with a seed of its own.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import hashlib
import pathlib
import subprocess
import sys
import threading
import time

import tensorflow as tf
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.conformance import against_python
from tests.conformance.generator import containers, numbers, objects, sources
from tests.conformance.runners import COMPILED
from tests.conformance.test_generated import EAGER, REFERENCE, check

Choice = tuple[int, tuple[str, ...]]
"""About one program in so many takes one of these ways."""

PIECE = 500
"""So many programs are run by one process."""

REGRESSIONS = pathlib.Path(__file__).with_name("conformance") / "regressions"


class Enough(KeyboardInterrupt):
    """All programs that were wanted have been run; Hypothesis lets an interrupt through."""


class Fuzzer:
    """Counts programs and remembers the one that is being run.

    Args:
      wanted: how many programs to run.
      seconds: start no program after so long; None: run them all.
      choices: the ways that only some programs take; a number of 0 is for none.
      journal: where the programs that passed are noted; None: nowhere.
    """

    def __init__(
        self,
        wanted: int,
        choices: tuple[Choice, ...],
        journal: pathlib.Path | None = None,
        seconds: float | None = None,
    ):
        self.wanted = wanted
        self.limit = seconds
        self.choices = choices
        self.journal = journal
        self.passed: set[str] = set()
        if journal is not None and journal.exists():
            self.passed.update(journal.read_text().split())
        self.before = len(self.passed)
        self.refused: set[str] = set()
        self.runs: collections.Counter[str] = collections.Counter()
        self.current: str | None = None
        self.ways: tuple[str, ...] = ()
        self.failed = False
        self.start = time.perf_counter()

    @property
    def done(self) -> int:
        """How many programs ran, each like plain Python."""
        return len(self.passed) - self.before

    def told(self) -> str:
        """What was done so far, in words."""
        return f"{self.done} programs ran, {len(self.refused)} were refused, {self.seconds():.0f} s"

    def check(self, source: str) -> None:
        """Run one program; on failure `current` keeps its source, `ways` how it was run.

        Raises:
          Enough: there is no need to run more; a failure is shrunk first.
        """
        if not self.failed and self.enough():
            raise Enough
        digest = hashlib.sha1(source.encode()).hexdigest()
        if digest in self.passed or digest in self.refused:
            return
        self.current, self.ways = source, self.runners(int(digest, 16), source)
        try:
            ran = self.run(source, self.ways)
        except BaseException:
            self.failed = True
            raise
        self.current = None
        if ran:
            self.note(digest, self.ways)
        else:
            self.refused.add(digest)

    def run(self, source: str, runners: tuple[str, ...]) -> bool:
        """Whether a program ran, rather than being refused; only one on Python's numbers may be."""
        if numbers.is_one(source):
            how = against_python.WAYS | against_python.COMPILED_WAYS
            return all(against_python.check(source, **how[runner]) for runner in runners)
        check(source, runners)
        return True

    def note(self, digest: str, runners: tuple[str, ...]) -> None:
        """Note that a program ran like plain Python."""
        self.runs.update(runners)
        self.passed.add(digest)
        if self.journal is not None:
            with self.journal.open("a") as file:
                file.write(f"{digest}\n")
        if self.done % 100 == 0:
            print(f"{self.told()}, all equal", flush=True)

    def runners(self, number: int, source: str) -> tuple[str, ...]:
        """The ways to run a program: they depend on its text only, so a failure stays one."""
        if numbers.is_one(source):
            every, _ = self.choices[-1]
            compiled = every and number // 2**32 % every == 0
            ways = list(against_python.COMPILED_WAYS if compiled else against_python.WAYS)
            return (ways[number % len(ways)],)
        chosen = list(REFERENCE[1:])
        for every, ways in self.choices:
            if every and number % every == 0:
                chosen.append(ways[number // every % len(ways)])
            number //= 2**32
        return tuple(chosen)

    def enough(self) -> bool:
        """Whether no more programs are to be run."""
        late = self.limit is not None and self.seconds() > self.limit
        return late or self.done >= self.wanted

    def seconds(self) -> float:
        return time.perf_counter() - self.start


def save(source: str, ways: tuple[str, ...]) -> pathlib.Path:
    """Keep a failing program as a regression test, which is compiled if it was compiled here."""
    name = hashlib.sha1(source.encode()).hexdigest()[:12]
    kind = "compiled" if set(ways) & {*COMPILED, *against_python.COMPILED_WAYS} else "generated"
    path = REGRESSIONS / f"{kind}_{name}.py"
    path.write_text(source)
    return path


def _mixed(every: int) -> st.SearchStrategy[str]:
    """Programs of all kinds; one in `every` is on Python's numbers, or changes what it makes."""
    if not every:
        return sources()
    kinds = st.sampled_from(["machine"] * (every - 1) + ["python"])
    python = st.one_of(numbers.sources(), objects.sources(), containers.sources())
    return kinds.flatmap(lambda kind: python if kind == "python" else sources())


def in_pieces(options: argparse.Namespace) -> int:
    """Run the programs in processes of their own, each with another seed; 1 if one has failed.

    Args:
      options: of the command.
    """
    end = None if options.seconds is None else time.monotonic() + options.seconds
    sizes = [PIECE] * (options.programs // PIECE)
    sizes += [options.programs % PIECE] if options.programs % PIECE else []
    stop = threading.Event()

    def piece(number: int, size: int) -> None:
        left = None if end is None else end - time.monotonic()
        if stop.is_set() or (left is not None and left <= 0):
            return
        given = {**vars(options), "programs": size, "seed": options.seed + number, "seconds": left}
        words = [f"--{name.replace('_', '-')}={x}" for name, x in given.items() if x is not None]
        if subprocess.run([sys.executable, "-m", "tests.fuzz", *words], check=False).returncode:
            stop.set()

    with concurrent.futures.ThreadPoolExecutor(options.workers) as workers:
        list(workers.map(piece, range(len(sizes)), sizes))
    return int(stop.is_set())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000, help="how many programs to run")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same programs")
    parser.add_argument(
        "--call-every", type=int, default=1, help="run about one in N in call form, too; 0: none"
    )
    parser.add_argument(
        "--eager-every", type=int, default=1, help="run about one in N in an eager runtime; 0: none"
    )
    parser.add_argument(
        "--compile-every", type=int, default=50, help="compile about one in N with XLA; 0: none"
    )
    parser.add_argument(
        "--journal", type=pathlib.Path, help="note what passed here, and do not run it again"
    )
    parser.add_argument(
        "--python-every", type=int, default=4, help="one in N is on Python's numbers; 0: none"
    )
    parser.add_argument("--seconds", type=float, help="start no program after so long")
    parser.add_argument("--workers", type=int, default=1, help="how many processes at a time")
    options = parser.parse_args()
    if options.programs > PIECE:
        sys.exit(in_pieces(options))
    # Each program is run once: optimizing its graphs would cost more than it saves.
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    print(f"fuzzing {options.programs} programs with seed {options.seed}", flush=True)
    fuzzer = Fuzzer(
        options.programs,
        (
            (options.call_every, REFERENCE[:1]),
            (options.eager_every, EAGER),
            (options.compile_every, COMPILED),
        ),
        options.journal,
        options.seconds,
    )
    run = settings(
        max_examples=10 * options.programs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )(given(_mixed(options.python_every))(fuzzer.check))
    try:
        seed(options.seed)(run)()
    except Enough:
        pass
    finally:
        if fuzzer.current is not None:
            path = save(fuzzer.current, fuzzer.ways)
            print(f"failed; the smallest failing program is in {path}", flush=True)
        print(", ".join(f"{name}: {count}" for name, count in sorted(fuzzer.runs.items())))
        print(f"{fuzzer.told()} (seed {options.seed})")


if __name__ == "__main__":
    main()
