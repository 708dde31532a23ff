"""Find what was typed into an interactive shell that keeps no source.

Before Python 3.13 the plain shell compiles each statement under the name "<stdin>" and forgets its
text, but the lines stay in the history of `readline`. A piece of that history is the source of a
function if it compiles to the very same code object.
"""

from __future__ import annotations
import __future__

import linecache
import sys
import types
from collections.abc import Iterator, Sequence

SHELLS = ("<stdin>", "<console>")
MAX_LINES = 400
"""A statement that is longer than this is not looked for."""
MAX_PARTS = 12
"""Nor is one with more lines that are not indented."""

_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def recover(code: types.CodeType) -> str | None:
    """Look for the statement that defined a function; the last one that fits is taken.

    Args:
      code: the function's code.

    Returns:
      The name under which `linecache` now has the statement; None where it is not in the history.
    """
    if code.co_filename not in SHELLS:
        return None
    history = _history()
    for start in reversed(range(len(history))):
        for text in _statements(history[start : start + MAX_LINES]):
            if _defines(text, code):
                name = f"<typed at line {start + 1}>"
                linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
                return name
    return None


def _history() -> list[str]:
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    return [readline.get_history_item(k + 1) or "" for k in range(count)]


def _statements(lines: Sequence[str]) -> Iterator[str]:
    """Yield the texts that begin with the first line and end before one that is not indented.

    Decorators, brackets and `else` make several of them; where there are more, it is no statement.
    """
    if not lines or not lines[0] or lines[0][0].isspace():
        return
    ends = [k for k in range(1, len(lines)) if not lines[k][:1].isspace()]
    for end in [*ends, len(lines)][:MAX_PARTS]:
        yield "\n".join(lines[:end]) + "\n"


def _defines(text: str, code: types.CodeType) -> bool:
    """Whether a statement compiles to a piece of code."""
    if code.co_name != "<lambda>" and code.co_name not in text:
        return False
    flags = code.co_flags & _FUTURES
    try:
        compiled = compile(text, code.co_filename, "exec", flags, dont_inherit=True)
    except SyntaxError:
        return False
    return _contains(compiled, code)


def _contains(outer: types.CodeType, code: types.CodeType) -> bool:
    inner = [part for part in outer.co_consts if isinstance(part, types.CodeType)]
    return code in inner or any(_contains(part, code) for part in inner)
