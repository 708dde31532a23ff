"""How much of the suite runs.

`make test` runs a part that touches all code in a quarter of an hour, `make test-all` nearly all
tests, and `make large` all of them, with large samples. Three marks say what is left out:

* `thorough`: `make test` leaves the test out, as it takes long. Smaller ones run most of its code.
* `large`: `make test-all` leaves the test out, too. A smaller one runs the same code, and this one
  takes long.
* `every(n)`: `make test` takes the first case of a parametrized test, and each n-th behind it.
  `every(n, m)`: `make test-all` takes the first case, and each m-th behind it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

import pytest

LARGE = "PCBATCH_STRESS" in os.environ
ALL = LARGE or "PCBATCH_ALL" in os.environ
IN_ALL = pytest.mark.skip(reason="runs in make test-all: set PCBATCH_ALL=1")
IN_LARGE = pytest.mark.skip(reason="runs in make large: set PCBATCH_STRESS=1")


def sized(few: int, many: int, most: int | None = None) -> int:
    """How many examples run: few in `make test`, many in `make test-all`, most in `make large`."""
    if LARGE and most is not None:
        return most
    return many if ALL else few


def leave_out(tests: Iterable[pytest.Item], everything: bool = ALL) -> None:
    """Skip those that `make test` leaves out, or those that `make test-all` leaves out.

    Args:
      tests: all that were found, in their order.
      everything: as in `make test-all`.
    """
    cases = Counter[str]()
    for test in tests:
        name = test.nodeid.partition("[")[0]
        place, cases[name] = cases[name], cases[name] + 1
        every = test.get_closest_marker("every")
        few, many = (*every.args, 1)[:2] if every else (1, 1)
        if place % many or test.get_closest_marker("large"):
            test.add_marker(IN_LARGE)
        elif not everything and (place % few or test.get_closest_marker("thorough")):
            test.add_marker(IN_ALL)
