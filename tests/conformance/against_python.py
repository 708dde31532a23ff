"""Random programs on Python's numbers, held against Python itself: values, exceptions and lines."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from pcbatch.errors import ProgramError
from pcbatch.semantics.optional import rows_of
from tests.conformance.generator import load
from tests.conformance.generator.numbers import ARGS

WAYS: dict[str, dict[str, Any]] = {
    "python-eager": {"jit": False},
    "python-switch": {"jit": False, "schedule": "switch"},
    "python-local": {"strategy": "local"},
    "python-loop": {"strategy": "loop"},
}
"""How these programs are run without compiling them."""
COMPILED_WAYS: dict[str, dict[str, Any]] = {
    "python-xla": {},
    "python-xla-switch": {"schedule": "switch"},
    "python-hybrid": {"strategy": "hybrid"},
}


class End(NamedTuple):
    """How a member ends.

    Attributes:
      error: the type of the exception; "" for a member that returns.
      line: where it was raised; 0 for a member that returns.
      values: what is returned: None, or a tuple of an int or None, a float, a bool and a list; none
        for a member that fails.
      calls: the lines of the calls that led there. A helper that is part of a primitive fails
        where it is called.
    """

    error: str
    line: int
    values: tuple[Any, ...] | None
    calls: tuple[int, ...] = ()

    def as_told(self, other: End) -> End:
        """This end, at the line of one of its calls if that is where the other one is."""
        return self._replace(line=other.line if other.line in self.calls else self.line, calls=())


def ends_in_python(source: str) -> list[End]:
    """How Python itself, without pcbatch, ends for each member."""
    plain = source.replace("@pcbatch.autobatch", "")
    main = load(plain)["main"]
    return [_end_in_python(main, [x[i].item() for x in ARGS]) for i in range(len(ARGS[0]))]


def _end_in_python(main: Any, args: list[Any]) -> End:
    try:
        return End("", 0, main(*args))
    except Exception as error:  # whatever Python raises is what is to be compared
        frames = traceback.extract_tb(error.__traceback__)
        *calls, line = [f.lineno or 0 for f in frames if f.filename.startswith("<generated")]
        return End(type(error).__name__, line, (), tuple(calls))


def ends_in_a_batch(source: str, **how: Any) -> list[End]:
    """How each member ends.

    Raises:
      ProgramError: the program is refused.
    """
    result = load(source)["main"].run(*ARGS, **how)
    status = result.status.numpy().tolist()
    return [
        _end_of_fault(result.faults[how]) if how else End("", 0, value)
        for how, value in zip(status, rows_of(result.value, len(status)), strict=True)
    ]


def _end_of_fault(fault: Any) -> End:
    return End(fault.message.split(":")[0], fault.span.line, ())


def check(source: str, **how: Any) -> bool:
    """Assert that a program ends as Python does for every member, unless it is refused.

    A refusal that names a variable which is not in the source is a fault of the compiler.

    Returns:
      Whether it ran.
    """
    expected = ends_in_python(source)
    try:
        actual = ends_in_a_batch(source, **how)
    except ProgramError as error:
        assert "`%" not in str(error), error
        return False
    assert_same_ends(actual, expected)
    return True


def assert_same_ends(actual: list[End], expected: list[End]) -> None:
    """Assert that members end alike, their values as Python prints them.

    So True is not 1, 1 is not 1.0, 0.0 is not -0.0, and all NaN are alike.

    Args:
      actual: how the members end.
      expected: how they end in Python.
    """
    for member, (got, wanted) in enumerate(zip(actual, expected, strict=True)):
        told = f"member {member}: {got}, Python: {wanted}"
        assert repr(got) == repr(wanted.as_told(got)), told
