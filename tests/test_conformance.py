"""Every shared program gives plain Python's results, however it is run."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np
import pytest

from tests.programs import BY_NAME, PROGRAMS, THEMES, Program
from tests.runners import COMPILED, RUNNERS, assert_matches, plain_members

STRESS = "PCBATCH_STRESS" in os.environ
CROWDED = """
    hofstadter_q digit_sum_int64 namedtuple_recursion captured_table tree_depth parity_bool
    depth_first_in_buffer
""".split()
"""Programs that are crowds in the quick run, too: 64 bits, structures, arrays, buffers in crews."""


@functools.cache
def expected(name: str) -> list[Any]:
    return plain_members(BY_NAME[name])


def _included(program: Program, runner: str) -> bool:
    """The quick run keeps what takes long to tagged programs; `make large` runs everything."""
    if STRESS:
        return True
    if runner == "xla-crowd" and program.name in CROWDED:
        return True
    if runner.endswith(("most-active", "unoptimized")):
        return runner.startswith("eager") and "xla" in program.tags
    return "xla" in program.tags or runner not in COMPILED


GRID = [
    pytest.param(program, runner, id=f"{program.name}-{runner}")
    for program in PROGRAMS
    for runner in RUNNERS
    if _included(program, runner)
]


@pytest.mark.parametrize(("program", "runner"), GRID)
def test_equals_plain_python(program: Program, runner: str) -> None:
    actual = RUNNERS[runner](program)
    assert_matches(actual, expected(program.name), program.tolerance)


KNOWN = {
    "fib": [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377],
    "ackermann": [1, 6, 2, 3, 6, 3, 5, 9, 5, 13, 10, 7],
    "hofstadter_q": [1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 6, 8],
    "hofstadter_male": [0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7],
    "tail_1000_deep": [0, 1, 8, 55, 5043, 125250, 499501, 500500],
    "mccarthy_91": [91, 91, 91, 91, 91, 91, 92, 140],
    "collatz": [0, 1, 7, 8, 16, 19, 4, 111, 118],
    "queens": [1, 1, 0, 0, 2, 10, 4, 2],
    "expression_parser": [7, 3, 6, 7, 9, 70, 9, 8, -1, 27],
    "sieve": [0, 0, 1, 2, 4, 9, 11, 12],
    "binomial": [1, 1, 1, 1, 20, 21, 70, 0, 0],
    "partitions": [1, 1, 2, 7, 7, 15, 15, 3],
}


@pytest.mark.parametrize("name", KNOWN)
def test_plain_python_is_right(name: str) -> None:
    """The ground truth itself, against values from the literature."""
    assert [int(value) for value in expected(name)] == KNOWN[name]


def test_shared_programs_are_sound() -> None:
    """Names are unique, batches are large enough, and compiled runs cover every theme."""
    assert len(BY_NAME) == len(PROGRAMS) >= 100
    assert not [program.name for program in PROGRAMS if program.batch_size() < 8]
    for theme in THEMES:
        assert any("xla" in program.tags for program in theme.PROGRAMS), theme.__name__


def test_comparison_notices_differences() -> None:
    """The comparison fails on a wrong value, dtype, structure and on a lost fraction."""
    members = [np.int32(1), np.int32(2)]
    assert_matches(np.array([1, 2], np.int32), members, "EXACT")
    wrong = [
        np.array([1, 3], np.int32),
        np.array([1, 2], np.int64),
        np.array([[1], [2]], np.int32),
        np.array([True, True]),
    ]
    for actual in wrong:
        with pytest.raises(AssertionError):
            assert_matches(actual, members, "EXACT")
    with pytest.raises((ValueError, TypeError)):
        assert_matches((np.array([1, 2], np.int32),), members, "EXACT")
    with pytest.raises(AssertionError):
        assert_matches(np.array([1, 2], np.int32), [1, 2.5], "EXACT")
