"""Run a stranger on its batch and say how it went."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import signal
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import pcbatch
from tests.strangers.comparing import differences
from tests.strangers.corpus import Stranger


class Verdict(enum.Enum):
    """How a function fared."""

    RIGHT = "right"
    REFUSED = "refused"
    DIFFERENT = "different"
    CRASHED = "crashed"


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """A verdict, and the first line of what is to be said about it."""

    stranger: Stranger
    verdict: Verdict
    line: str = ""


class TooSlow(Exception):
    """A function was not done in its time."""


def report(stranger: Stranger, seconds: int = 120, **options: Any) -> Report:
    """Run the function on its members and compare with plain Python.

    Args:
      stranger: what to run.
      seconds: of the processor that it may take.
      **options: of `.run`.
    """
    truths = stranger.truths()
    args = batch(stranger.members)
    try:
        with time_limit(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = stranger.batched().run(*args, **options)
    except pcbatch.ProgramError as error:
        return Report(stranger, Verdict.REFUSED, first_line(error))
    except (Exception, TooSlow) as error:  # Whatever it is, it is to be told, and the next one run.
        return Report(stranger, Verdict.CRASHED, crash(error))
    different = next(differences(result, truths, stranger.digits, stranger.mixed), None)
    if different is not None:
        return Report(stranger, Verdict.DIFFERENT, different)
    return Report(stranger, Verdict.RIGHT)


def first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def crash(error: BaseException) -> str:
    """The exception, with the last line of pcbatch that it went through."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if "/pcbatch/" in f.filename] or list(frames)
    where = f"{inside[-1].filename.rpartition('/pcbatch/')[2]}:{inside[-1].lineno}"
    return f"{type(error).__name__}: {first_line(error)[:160]} ({where})"


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TooSlow` in what takes more seconds of the processor."""

    def stop(*_: Any) -> None:
        raise TooSlow(f"not done after {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def batch(members: tuple[tuple[Any, ...], ...]) -> list[Any]:
    """The arguments of a batch: one array per number, a list of them per list."""
    return [_stack(column) for column in zip(*members, strict=True)]


def _stack(column: tuple[Any, ...]) -> Any:
    if isinstance(column[0], list | tuple):
        return type(column[0])(_stack(part) for part in zip(*column, strict=True))
    (kind,) = {type(number) for number in column}
    return np.array(column, {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}[kind])
