"""Random programs by the thousand: `python -m tests.fuzz --programs 10000 --seed 0`.

Every program runs in plain Python, in the reference interpreters and in the eager runtimes, and one
in `--compile-every` through XLA as well. The first failure is shrunk, and the smallest program that
fails is written to `tests/regressions/`, where the tests find it.
"""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import time

from hypothesis import HealthCheck, given, seed, settings

from tests.generator import sources
from tests.test_generated import COMPILED, EAGER, check

REGRESSIONS = pathlib.Path(__file__).with_name("regressions")


class Fuzzer:
    """Counts programs and remembers the one that is being run."""

    def __init__(self, compile_every: int, report_every: int = 100):
        self.compile_every = compile_every
        self.report_every = report_every
        self.done = 0
        self.current: str | None = None
        self.start = time.perf_counter()

    def check(self, source: str) -> None:
        """Run one program; on failure `current` keeps its source.

        Which programs are compiled depends on their text only, so that a failure stays one while
        it is replayed.
        """
        self.current = source
        digest = int(hashlib.sha1(source.encode()).hexdigest(), 16)
        compiled = self.compile_every > 0 and digest % self.compile_every == 0
        check(source, EAGER + COMPILED if compiled else EAGER)
        self.current = None
        self.done += 1
        if self.done % self.report_every == 0:
            seconds = time.perf_counter() - self.start
            print(f"{self.done} programs in {seconds:.0f} s, all equal", flush=True)


def save(source: str) -> pathlib.Path:
    """Keep a failing program as a regression test."""
    name = hashlib.sha1(source.encode()).hexdigest()[:12]
    path = REGRESSIONS / f"generated_{name}.py"
    path.write_text(source)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=10_000, help="how many programs to run")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same programs")
    parser.add_argument(
        "--compile-every", type=int, default=100, help="compile about one in N with XLA; 0: none"
    )
    options = parser.parse_args()
    print(f"fuzzing {options.programs} programs with seed {options.seed}", flush=True)
    fuzzer = Fuzzer(options.compile_every)
    run = settings(
        max_examples=options.programs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )(given(sources())(fuzzer.check))
    try:
        seed(options.seed)(run)()
    finally:
        if fuzzer.current is not None:
            print(f"failed; the smallest failing program is in {save(fuzzer.current)}", flush=True)
    seconds = time.perf_counter() - fuzzer.start
    print(f"{fuzzer.done} programs in {seconds:.0f} s, all equal (seed {options.seed})")


if __name__ == "__main__":
    main()
