"""How tests draw random programs: the same ones each time, as far as the imported modules are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

FIXED = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}


def assert_run(count: int, run: Callable[..., bool], *drawn: st.SearchStrategy[Any]) -> None:
    """Assert that so many random programs run; one that is refused is another's place.

    Args:
      count: how many.
      run: says whether a program ran, or was refused. It asserts that it ran as it should.
      *drawn: its arguments.
    """
    ran = 0

    @settings(max_examples=count, **FIXED)
    @given(st.tuples(*drawn))
    def one(arguments: tuple[Any, ...]) -> None:
        nonlocal ran
        assume(run(*arguments))
        ran += 1

    one()
    assert ran >= count
