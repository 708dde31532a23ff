"""Random programs give plain Python's results, however they are run.

The counts of the quick run can be changed with `PCBATCH_GENERATED` (eager paths) and
`PCBATCH_GENERATED_XLA`; `python -m tests.fuzz` runs as many as wanted. A program that once failed
is kept in `tests/regressions/` and run here forever.
"""

from __future__ import annotations

import os
import pathlib

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.generator import as_program, load, sources
from tests.runners import COMPILED, RUNNERS, assert_matches, plain_members

REFERENCE = ("reference-call", "reference-stack")
EAGER = ("local", "eager-unoptimized", "eager-switch", "eager-sweep", "eager-most-active")
REGRESSIONS = sorted(pathlib.Path(__file__).with_name("regressions").glob("*.py"))

FIXED = {
    "derandomize": True,
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
}


def check(source: str, runners: tuple[str, ...]) -> None:
    """Assert that a program gives the same results under plain Python and the runners."""
    program = as_program(source)
    expected = plain_members(program)
    for runner in runners:
        assert_matches(RUNNERS[runner](program), expected, program.tolerance)


def count(name: str, default: int) -> int:
    return int(os.environ.get(name, default))


@settings(max_examples=25, **FIXED)
@given(sources())
def test_generated_programs_are_valid(source: str) -> None:
    """They run in plain Python, twice alike, and the source can be found again by its text."""
    program = as_program(source)
    results = [repr(plain_members(program)) for _ in range(2)]
    assert results[0] == results[1]
    assert load(source)["main"].__doc__ is None


@settings(max_examples=count("PCBATCH_GENERATED", 140), **FIXED)
@given(sources(), st.sampled_from(("reference-call", *EAGER)))
def test_eager_paths(source: str, runner: str) -> None:
    """Each program takes the reference on stack form and one other path."""
    check(source, ("reference-stack", runner))


# Shrinking would compile hundreds of programs; the eager paths and the fuzzer shrink.
@settings(max_examples=count("PCBATCH_GENERATED_XLA", 20), phases=[Phase.generate], **FIXED)
@given(sources(), st.sampled_from(COMPILED))
def test_compiled_paths(source: str, runner: str) -> None:
    check(source, (runner,))


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_regression(path: pathlib.Path) -> None:
    check(path.read_text(), (*REFERENCE, *EAGER, "xla-switch", "xla-sweep"))
