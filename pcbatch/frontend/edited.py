"""Whether a file still says what a function was compiled from.

Python keeps a function's code and not its text. If the file has been edited since, with as many
lines, a batch would run the new text and `.single` the old code. The text can be compiled again and
the two codes compared, but not every difference is an edit: pytest rewrites assertions when it
imports a test, other import hooks and decorators add checks, profilers pad the code. So the first
question is whether the file was touched at all since the process began, by the later one of the
times of its content and of its inode: the second also tells a file that was put in place with an
old date. Nearly all files are older, and for those nothing is compiled. In one that was touched the
instructions must be the same, where Python's own loader has compiled it; where another one has, and
in text that is no file, they must come in the code in the same order, with whatever was added in
between. What cannot be told this way is taken to be unchanged: a line that was removed from a file
that another loader has read.

To compile a file takes 40 microseconds a line, a quarter of what parsing it does, and is done once
for each text of it.
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import importlib.machinery
import os
import time
import types
import warnings
from collections.abc import Iterator
from typing import Any

FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
SLACK = 1.0
"""Seconds by which the clock of a file system may be behind."""

Step = tuple[str, Any]
"""An instruction: its name and its argument, without the places that jumps go to."""


def _started() -> float:
    """When this process began, by the clock of files; where that is not known, some time before."""
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        age = 60.0  # what was imported before this module was compiled within the last minute
    return time.time() - age - SLACK


STARTED = _started()


def is_edited(fn: types.FunctionType, file: str, text: str) -> bool:
    """Whether a text differs from what a function was compiled from.

    Args:
      fn: the function; a `def` or lambda of its name stands at its first line of the text.
      file: the name of the file.
      text: what it says now.
    """
    code = fn.__code__
    if not _touched(file):
        return False
    found = _codes(text, code.co_flags & FUTURES).get((code.co_name, code.co_firstlineno), ())
    if not found or any(new == code or _steps(new) == _steps(code) for new in found):
        return False
    if _is_plain(fn, file):
        return True
    asserts = _asserts(text)
    return not any(_comes_in(_needed(new, asserts), _steps(code)) for new in found)


def _touched(file: str) -> bool:
    """Whether a file may have changed since the process began; what is no file, at any time."""
    try:
        seen = os.stat(file)
    except OSError:
        return True
    return max(seen.st_mtime, seen.st_ctime) >= STARTED


def _is_plain(fn: types.FunctionType, file: str) -> bool:
    """Whether Python itself has compiled a file, as it is."""
    rewritten = any(name.startswith("@") for name in fn.__code__.co_varnames)  # by pytest
    loader = fn.__globals__.get("__loader__")
    return type(loader) is importlib.machinery.SourceFileLoader and not rewritten


@functools.lru_cache(maxsize=64)
def _codes(text: str, flags: int) -> dict[tuple[str, int], list[types.CodeType]]:
    """The code of every function of a text, by name and first line."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as notebooks do; functions are the same
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python has said them when it compiled the file
        try:
            pending = [compile(text, "<now>", "exec", flags, dont_inherit=True)]
        except SyntaxError:  # a text in a syntax of its shell's own
            return {}
    found: dict[tuple[str, int], list[types.CodeType]] = {}
    while pending:
        code = pending.pop()
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
        pending += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return found


@functools.lru_cache(maxsize=64)
def _asserts(text: str) -> frozenset[int]:
    """The lines of assertions."""
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Assert))
    return frozenset(k for n in nodes for k in range(n.lineno, (n.end_lineno or n.lineno) + 1))


def _steps(code: types.CodeType) -> list[Step]:
    """What code does, nested functions included, as far as it does not hang on how it is packed."""
    return [step for instruction in _instructions(code) for step in _split(instruction)]


def _needed(code: types.CodeType, asserts: frozenset[int]) -> list[Step]:
    """The steps that are in the code even where something was added: not jumps, nor assertions."""
    return [
        step
        for instruction in _instructions(code)
        if instruction.positions is None or instruction.positions.lineno not in asserts
        for step in _split(instruction)
        if not step[0].endswith(_BRANCHES)
    ]


_BRANCHES = ("JUMP", "_FORWARD", "_BACKWARD", "_TRUE", "_FALSE", "_NONE", "_ITER")
_IGNORED = ("NOP", "CACHE", "EXTENDED_ARG", "RESUME", "PRECALL", "PUSH_NULL")


def _instructions(code: types.CodeType) -> Iterator[dis.Instruction]:
    for instruction in dis.get_instructions(code):
        if instruction.opname not in _IGNORED:
            yield instruction
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant)


def _split(instruction: dis.Instruction) -> Iterator[Step]:
    """An instruction as the simple ones that some versions of Python put together."""
    name, value = instruction.opname, instruction.argval
    if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
        yield name, None
    elif name == "RETURN_CONST":
        yield from [("LOAD_CONST", _constant(value)), ("RETURN_VALUE", None)]
    elif isinstance(value, tuple) and name.count("_FAST") == 2:
        parts = [part.strip("_") for part in name.replace("_FAST", "_FAST ").split()]
        yield from zip(parts, value, strict=True)
    elif name.startswith("LOAD_FAST"):
        yield "LOAD_FAST", value
    elif name == "LOAD_METHOD":  # `module.f()`, unless the same text imports the module
        yield "LOAD_ATTR", _constant(value)
    else:
        yield name, _constant(value)


def _constant(value: Any) -> Any:
    """A constant with its type, since 1, 1.0 and True are equal; of a function the name."""
    if isinstance(value, types.CodeType):
        return value.co_name
    shown = sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)
    return type(value).__name__, shown


def _comes_in(needed: list[Step], code: list[Step]) -> bool:
    """Whether the steps come in the code in this order."""
    rest = iter(code)
    return all(step in rest for step in needed)
