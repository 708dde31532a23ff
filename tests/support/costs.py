"""What each test costs: a plugin of pytest.

Where `PCBATCH_COSTS` names a file, a line of JSON for each test is appended to it: the processor's
seconds, of all threads and of processes that were started and have ended, and this process's
memory afterwards. The end of the report, and `python -m tests.support.costs FILE`, sum them up.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.compiled import resident

DEAREST = 25
"""So many files and tests are listed."""


def seconds() -> float:
    """Processor seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Append what the test cost, its fixtures with it."""
    before = seconds()
    result = yield
    cost = {
        "test": item.nodeid,
        "process": os.getpid(),
        "seconds": round(seconds() - before, 3),
        "resident": resident(),
    }
    with open(os.environ["PCBATCH_COSTS"], "a") as file:
        print(json.dumps(cost), file=file)
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    path = Path(os.environ["PCBATCH_COSTS"])
    for line in report(path) if path.exists() else ():
        terminalreporter.write_line(line)


def report(path: Path) -> Iterator[str]:
    """Lines on the folders, the dearest files and tests, and the processes of a file of costs."""
    costs = [json.loads(line) for line in path.read_text().splitlines()]
    folders = summed(costs, lambda cost: cost["test"].partition("::")[0].rpartition("/")[0])
    files = summed(costs, lambda cost: cost["test"].partition("::")[0])
    tests = summed(costs, lambda cost: cost["test"])
    for what, lines in (("folder", folders), ("file", files), ("test", tests)):
        for spent, most, count, name in lines[:DEAREST]:
            yield f"{what} {spent:8.1f} s, at most {most:5d} MB, {count:4d} tests: {name}"
    for spent, most, count, name in summed(costs, lambda cost: str(cost["process"])):
        yield f"process {spent:8.1f} s, at most {most:5d} MB, {count:4d} tests: {name}"


def summed(
    costs: list[dict[str, Any]], key: Callable[[dict[str, Any]], str]
) -> list[tuple[float, int, int, str]]:
    """Seconds, most memory, number of tests and name of each group, the dearest first."""
    groups = defaultdict(list)
    for cost in costs:
        groups[key(cost)].append(cost)
    sums = [
        (sum(c["seconds"] for c in group), max(c["resident"] for c in group), len(group), name)
        for name, group in groups.items()
    ]
    return sorted(sums, reverse=True)


if __name__ == "__main__":
    print(*report(Path(sys.argv[1])), sep="\n")
