"""The first line of a plain Python function that gives a number that is not finite."""

from __future__ import annotations

import contextlib
import dis
import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np
import tensorflow as tf

from nuts.users_code import is_library, quoted

_NAMES = {"inf", "-inf", "nan", "infinity", "-infinity"}
"""Names and texts that stand for numbers that are not finite, in small letters."""


def first_line(function: Callable[[Any], Any], position: Any) -> str | None:
    """Describe the first line that gives a number that is not finite and reads none.

    The function is run with Python's tracing on, so that each line of the user's code can be looked
    at: what the variables are before it and after it, and what a function returns.

    Args:
      function: plain Python, of one position.
      position: where its value is not finite.

    Returns:
      The variable and the line; None where there is no such line, as where infinity is written in
      the code.
    """
    watch = _Watch()
    before = sys.gettrace()
    sys.settrace(watch.trace)
    try:
        # Where Python raises for a number that is not finite, the lines before have been seen.
        with contextlib.suppress(ArithmeticError, ValueError):
            function(position)
    finally:
        sys.settrace(before)
    return watch.found


class _Watch:
    """Looks at the user's variables line by line.

    Attributes:
      found: what `first_line` returns.
    """

    def __init__(self) -> None:
        self.found: str | None = None
        self._lines: dict[FrameType, tuple[int, set[str]]] = {}

    def trace(self, frame: FrameType, event: str, value: Any) -> Any:
        """What Python calls at each line: see `sys.settrace`."""
        if self.found or is_library(frame.f_code.co_filename):
            return None
        bad = {name for name, x in frame.f_locals.items() if not _is_finite(x)}
        line, before = self._lines.get(frame, (frame.f_lineno, bad))
        new = sorted(bad - before)
        if event == "return" and not _is_finite(value):
            new.append("what is returned")
        if new and not _reads_any(frame, line, before):
            where = quoted(frame.f_code.co_filename, line)
            self.found = f"{new[0]} is the first to be not finite{where}"
        self._lines[frame] = (frame.f_lineno, bad)
        if event == "return":
            del self._lines[frame]
        return self.trace


def _reads_any(frame: FrameType, line: int, bad: set[str]) -> bool:
    """Whether a line reads a number that is not finite, or has one written in it.

    Args:
      frame: where the line is.
      line: its number.
      bad: the variables that were not finite before it.
    """
    read = _read(frame.f_code).get(line, [])
    names = [x for x in read if isinstance(x, str)]
    of_module = [frame.f_globals.get(x) for x in names if x not in frame.f_locals]
    written = any(x.lower() in _NAMES for x in names)
    return written or not bad.isdisjoint(names) or not _is_finite([*read, *of_module])


@functools.lru_cache(maxsize=256)
def _read(code: CodeType) -> dict[int, list[Any]]:
    """The names and constants that each line of a function reads."""
    found: dict[int, list[Any]] = {}
    for instruction in dis.get_instructions(code):
        position = instruction.positions
        if instruction.opname.startswith("LOAD") and position and position.lineno:
            value = instruction.argval
            several = value if isinstance(value, tuple) else [value]
            found.setdefault(position.lineno, []).extend(several)
    return found


def _is_finite(value: Any) -> bool:
    """Whether all floats of a value, a list or a dict are finite; what is no number is."""
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    if isinstance(value, float | np.ndarray | np.floating) or (
        tf.is_tensor(value) and hasattr(value, "numpy")
    ):
        array = np.asarray(value)
        return array.dtype.kind != "f" or bool(np.isfinite(array).all())
    return True
