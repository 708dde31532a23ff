"""How much of the suite runs.

`make test` runs a part that touches all code, `make test-all` all tests, `make large` all of them
with large samples. Two marks say what `make test` leaves out:

* `thorough`: the test. A smaller one runs the same code.
* `every(n)`: cases of a parametrized test. Its first case runs, and each n-th behind it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

import pytest

LARGE = "PCBATCH_STRESS" in os.environ
ALL = LARGE or "PCBATCH_ALL" in os.environ


def sized(few: int, many: int) -> int:
    """How many examples run: few in `make test`, else many."""
    return many if ALL else few


def leave_out(tests: Iterable[pytest.Item]) -> None:
    """Skip those that `make test` leaves out."""
    left_out = pytest.mark.skip(reason="runs in make test-all: set PCBATCH_ALL=1")
    cases = Counter[str]()
    for test in tests:
        name = test.nodeid.partition("[")[0]
        every = test.get_closest_marker("every")
        place, cases[name] = cases[name], cases[name] + 1
        if test.get_closest_marker("thorough") or (every and place % every.args[0]):
            test.add_marker(left_out)
