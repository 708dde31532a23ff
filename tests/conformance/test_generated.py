"""Random programs give plain Python's results, however they are run.

The counts can be changed with `PCBATCH_GENERATED` (eager paths) and `PCBATCH_GENERATED_XLA`;
`python -m tests.fuzz` runs as many as wanted. A program that once failed is kept in
`tests/conformance/regressions/` and run here forever.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pcbatch.errors import ProgramError
from tests.conformance import against_python
from tests.conformance.generator import (
    as_program,
    containers,
    load,
    numbers,
    objects,
    sources,
)
from tests.conformance.runners import (
    COMPILED,
    RUNNERS,
    assert_matches,
    deep_recursion,
    plain_members,
    release,
    to_arrays,
)
from tests.support.extent import ALL, LARGE, sized
from tests.support.random_programs import FIXED, assert_run

REFERENCE = ("reference-call", "reference-stack")
EAGER = ("local", "eager-unoptimized", "eager-switch", "eager-sweep", "eager-most-active")
REGRESSIONS = sorted(pathlib.Path(__file__).with_name("regressions").glob("*.py"))


def check(source: str, runners: tuple[str, ...]) -> None:
    """Assert that a program gives the same results under plain Python and the runners."""
    program = as_program(source)
    expected = plain_members(program)
    for runner in runners:
        assert_matches(RUNNERS[runner](program), expected, program.roundings)
    release(program.function)


def ends(source: str, **how: Any) -> tuple[list[tuple[str, int]], list[Any]]:
    """How each member of a program ends, and what those that return give."""
    program = as_program(source)
    with deep_recursion():
        result = program.function.run(*program.args, **how)
    faults = [result.faults.get(status) for status in result.status.numpy().tolist()]
    said = [(f.message, f.span.line) if f is not None and f.span else ("", 0) for f in faults]
    leaves = tf.nest.flatten(to_arrays(result.value))
    return said, [x[[not text for text, _ in said]] for x in leaves]


def check_ends(source: str, how: dict[str, Any]) -> None:
    """Assert that members stop at the same places as one by one, and return the same.

    A program in which all members fail, as is known beforehand, is refused.
    """
    try:
        expected, alone = ends(source, strategy="loop")
    except ProgramError:
        with pytest.raises(ProgramError):
            ends(source, **how)
        return
    said, values = ends(source, **how)
    assert said == expected
    for value, want in zip(values, alone, strict=True):
        np.testing.assert_array_equal(value, want)


GENERATED = int(os.environ.get("PCBATCH_GENERATED", sized(14, 42, 70)))
COMPILED_PROGRAMS = int(os.environ.get("PCBATCH_GENERATED_XLA", sized(4, 12, 20)))


@settings(max_examples=sized(8, 16), **FIXED)
@given(sources())
def test_generated_programs_are_valid(source: str) -> None:
    """They run in plain Python, twice alike, and the source can be found again by its text."""
    program = as_program(source)
    results = [repr(plain_members(program)) for _ in range(2)]
    assert results[0] == results[1]
    assert load(source)["main"].__doc__ is None


@settings(max_examples=GENERATED, **FIXED)
@given(sources(), st.sampled_from(("reference-call", *EAGER)))
def test_eager_paths(source: str, runner: str) -> None:
    """Each program takes the reference on stack form and one other path."""
    check(source, ("reference-stack", runner))


# Shrinking would compile hundreds of programs; the eager paths and the fuzzer shrink.
@settings(max_examples=COMPILED_PROGRAMS, phases=[Phase.generate], **FIXED)
@given(sources(), st.sampled_from(COMPILED))
def test_compiled_paths(source: str, runner: str) -> None:
    check(source, (runner,))


WAYS = ({"jit": False}, {"jit": False, "schedule": "switch"}, {"strategy": "local"})


@settings(max_examples=GENERATED // 10, **FIXED)
@given(sources(raises=True), st.sampled_from(WAYS))
def test_members_raise_at_the_same_places(source: str, how: dict[str, Any]) -> None:
    check_ends(source, how)


@settings(max_examples=COMPILED_PROGRAMS // 4, phases=[Phase.generate], **FIXED)
@given(sources(raises=True), st.sampled_from(({}, {"schedule": "switch"})))
def test_compiled_members_raise_at_the_same_places(source: str, how: dict[str, Any]) -> None:
    check_ends(source, how)


PYTHON_WAYS = st.sampled_from(list(against_python.WAYS.values()))


def is_as_python(source: str, how: dict[str, Any]) -> bool:
    return against_python.check(source, **how)


@pytest.mark.thorough
def test_programs_on_pythons_numbers() -> None:
    """Values, exceptions and their lines are Python's own."""
    assert_run(GENERATED // 7, is_as_python, numbers.sources(), PYTHON_WAYS)


def test_functions_that_change_what_they_are_handed() -> None:
    """What a function does to an object is seen under each name of it, or refused."""
    assert_run(GENERATED // 14, is_as_python, objects.sources(), PYTHON_WAYS)


def test_records_and_objects_in_containers() -> None:
    """What is done to an element of a container is seen under each name of it, or refused."""
    assert_run(GENERATED // 14, is_as_python, containers.sources(), PYTHON_WAYS)


def test_comparison_with_python_notices_differences() -> None:
    """Of type, sign of zero, exception and line; NaN equals NaN."""
    nan = float("nan")
    end = against_python.End("", 0, (1, nan, 0.0, True))
    against_python.assert_same_ends([end], [end._replace(values=(1, -nan, 0.0, True))])
    wrong = (
        end._replace(values=(2, nan, 0.0, True)),
        end._replace(values=(1.0, nan, 0.0, True)),
        end._replace(values=(1, 1.0, 0.0, True)),
        end._replace(values=(1, nan, -0.0, True)),
        end._replace(values=(1, nan, 0.0, 1)),
        against_python.End("ValueError", 7, ()),
    )
    for other in wrong:
        with pytest.raises(AssertionError):
            against_python.assert_same_ends([other], [end])
    with pytest.raises(AssertionError):
        against_python.assert_same_ends([wrong[-1]], [wrong[-1]._replace(line=8)])


@pytest.mark.every(9)
@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_regression(path: pathlib.Path) -> None:
    """What once failed before XLA compiled it is not compiled: that takes up to a minute each."""
    source, is_compiled = path.read_text(), path.stem.startswith("compiled_")
    if numbers.is_one(source):
        for how in (*against_python.WAYS.values(), *[{}] * is_compiled):
            assert against_python.check(source, **how), "the program is refused"
        return
    some = ("local", "eager-sweep", *["eager-unoptimized"] * ALL)
    eager = EAGER if LARGE else some
    check(source, (*REFERENCE, *eager, *("xla-switch", "xla-sweep") * is_compiled))
