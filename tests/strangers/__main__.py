"""`python -m tests.strangers`: run them all, or those whose names contain what is given."""

from __future__ import annotations

import argparse
import collections
from collections.abc import Iterable

from bench import report as results
from pcbatch.ir.block_counts import aligned
from pcbatch.runtime.options import STRATEGIES
from pcbatch.vm.sweep.registry import SCHEDULES
from tests.strangers.corpus import strangers
from tests.strangers.idioms import idioms_of
from tests.strangers.refusals import counts, update
from tests.strangers.running import Report, Verdict, report

COLUMNS = tuple(Verdict)


def main() -> None:
    """Run, print a line per function and the tables; end with 1 if a function differs."""
    options = arguments()
    how = {"strategy": options.strategy, "schedule": options.schedule, "jit": options.jit}
    how["max_steps"] = None if options.strategy != "pc" else options.max_steps
    reports = []
    for stranger in strangers():
        if all(name not in str(stranger) for name in options.names or [""]):
            continue
        reports.append(report(stranger, options.seconds, **how))
        said = reports[-1]
        if not options.quiet or said.verdict is not Verdict.RIGHT:
            print(f"{said.verdict.value:10}{stranger!s:45}{said.line}", flush=True)
    if options.update:
        update(reports)
        results.save("strangers", vars(options), [counts()])
    print(table("field", ((r.stranger.field, r) for r in reports)))
    print(table("idiom", ((idiom, r) for r in reports for idiom in idioms_of(r.stranger))))
    print(summary(reports))
    raise SystemExit(any(r.verdict in (Verdict.DIFFERENT, Verdict.CRASHED) for r in reports))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.strangers", description=__doc__)
    parser.add_argument("names", nargs="*", help="only functions in whose names one of these is")
    parser.add_argument("--strategy", choices=STRATEGIES, default="pc")
    parser.add_argument("--schedule", choices=SCHEDULES, default="auto")
    parser.add_argument("--jit", action="store_true", help="compile with XLA, seconds a function")
    parser.add_argument("--max-steps", type=int, default=100_000, help="turns of the machine")
    parser.add_argument("--seconds", type=int, default=120, help="how long a function may take")
    parser.add_argument("--quiet", action="store_true", help="no line for those that are right")
    parser.add_argument(
        "--update",
        action="store_true",
        help="write the table of refusals, and the counts in bench/results/, anew",
    )
    return parser.parse_args()


def table(title: str, rows: Iterable[tuple[str, Report]]) -> str:
    """How many there are of each verdict, and the share of those that are right."""
    counts: dict[str, collections.Counter[Verdict]] = {}
    for name, one in rows:
        counts.setdefault(name, collections.Counter())[one.verdict] += 1
    lines = [[title, *(verdict.value for verdict in COLUMNS), ""]]
    for name, count in sorted(counts.items()):
        share = f"{count[Verdict.RIGHT] / count.total():.0%}"
        lines.append([name, *(str(count[verdict]) for verdict in COLUMNS), share])
    return "\n" + aligned(lines)


def summary(reports: list[Report]) -> str:
    count = collections.Counter(r.verdict for r in reports)
    right = count[Verdict.RIGHT]
    return (
        f"\nOf {len(reports)} functions of strangers {right} run unchanged and right "
        f"({100 * right / max(1, len(reports)):.0f}%), {count[Verdict.REFUSED]} are refused, "
        f"{count[Verdict.DIFFERENT]} differ, {count[Verdict.CRASHED]} crash."
    )


if __name__ == "__main__":
    main()
