"""Every shared program gives plain Python's results, however it is run."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.conformance.programs import BY_NAME, PROGRAMS, THEMES, Program
from tests.conformance.runners import COMPILED, RUNNERS, assert_matches, plain_members, release
from tests.support.extent import LARGE

CROWDED = """
    hofstadter_q digit_sum_int64 namedtuple_recursion captured_table tree_depth parity_bool
    depth_first_in_buffer
""".split()
"""Programs that are crowds in the quick run, too: 64 bits, structures, arrays, buffers in crews."""
SIMPLE = ("loop", "reference-call")
FORMS = ("reference-call", "reference-stack")
EAGER = ("eager-switch", "eager-sweep", "eager-unoptimized", "eager-most-active")
SCHEDULES = ("xla-switch", "xla-sweep")
ROTATED = ("hybrid", "xla-auto", "xla-crowd", "xla-unoptimized", "xla-most-active")
CHOICES = (EAGER, SIMPLE, SCHEDULES, ROTATED, COMPILED, range(5), range(6), FORMS, range(2))


class Ways(NamedTuple):
    """The runners of a program.

    Attributes:
      quick: those of `make test`: one that compiles nothing, and one that compiles for a third of
        the programs with the tag "xla" and for half of those with "turn".
      all: those of `make test-all`: the reference on one form, "local", an eager one, "loop" for
        half of the programs, and one that compiles if the program has the tag "xla" or "turn".
    """

    quick: set[str]
    all: set[str]


def ways(program: Program) -> Ways:
    """How a program is run: `make large` takes every way.

    Which ways the others take hangs on the program's name only, so that a new one does not move
    the others.
    """
    eager, simple, schedule, rotated, turn, other, kind, form, half = _turns(program.name, CHOICES)
    quick = {("reference-stack", "local", "local", simple, eager)[other]}
    usual = {form, "local", eager} | ({"loop"} if half else set())
    if "xla" in program.tags:
        quick |= {schedule} if kind == 0 else {rotated} if kind == 1 else set()
        usual |= {schedule if kind % 2 == 0 else rotated}
    if program.name in CROWDED:
        (quick if half else usual).add("xla-crowd")
    if "turn" in program.tags:
        (quick if half else usual).add(turn)
    return Ways(quick, set(RUNNERS) if LARGE else quick | usual)


def _turns(name: str, choices: tuple[Sequence[Any], ...]) -> list[Any]:
    """One of each choice: the digits of the name's checksum, which are independent."""
    number, taken = zlib.crc32(name.encode()), []
    for options in choices:
        number, digit = divmod(number, len(options))
        taken.append(options[digit])
    return taken


def grid() -> Iterator[Any]:
    for program in PROGRAMS:
        quick, all_ways = ways(program)
        for runner in (name for name in RUNNERS if name in all_ways):
            marks = [] if runner in quick else pytest.mark.thorough
            yield pytest.param(program, runner, marks=marks, id=f"{program.name}-{runner}")


@functools.cache
def expected(name: str) -> list[Any]:
    return plain_members(BY_NAME[name])


_running: list[str] = []
"""The name of the program whose turn it is."""


def its_turn(program: Program) -> None:
    """Drop what was compiled of the program before: that of all would fill the machine."""
    if [program.name] != _running:
        for before in _running:
            release(BY_NAME[before].function)
        _running[:] = [program.name]


@pytest.mark.parametrize(("program", "runner"), grid())
def test_equals_plain_python(program: Program, runner: str) -> None:
    its_turn(program)
    actual = RUNNERS[runner](program)
    assert_matches(actual, expected(program.name), program.roundings)


KNOWN = {
    "fib": [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144],
    "ackermann": [1, 6, 2, 3, 6, 3, 5, 9, 5, 13, 10, 7],
    "hofstadter_q": [1, 1, 2, 3, 3, 4, 5, 5, 6, 6],
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
        assert any(program.tags for program in theme.PROGRAMS), theme.__name__


def test_the_quick_run_has_every_way() -> None:
    taken = [runner for program in PROGRAMS for runner in ways(program).quick]
    assert set(taken) == set(RUNNERS)


def test_comparison_notices_differences() -> None:
    """The comparison fails on a wrong value, dtype, structure and on a lost fraction."""
    members = [np.int32(1), np.int32(2)]
    assert_matches(np.array([1, 2], np.int32), members, "EXACT")
    wrong = [
        np.array([1, 3], np.int32),
        np.array([1, 2], np.int16),
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
