"""The text of a member's value, in the user's plain functions.

What an expression of the program asks itself is refused before it is called (`misuse`). A plain
function is the user's own Python: there the text is asked of the tensor.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import sys

from pcbatch.backend.private import symbolic_texts
from pcbatch.semantics.misuse import TextOfMember
from pcbatch.semantics.user_code import is_users_file


def refused() -> contextlib.AbstractContextManager[None]:
    """Refuse, inside, the text of a tensor where the user's code asks for it.

    TensorFlow makes such texts for messages of its own; and the message of a `raise` or an `assert`
    is read by a person who knows what a placeholder is.
    """
    return symbolic_texts.asking_for_text(_refuse)


def _refuse(name: str) -> None:
    frame = sys._getframe(2)  # whoever called the tensor's method
    file = frame.f_code.co_filename
    if is_users_file(file) and not _in_a_message(file, frame.f_lineno):
        raise TextOfMember(name)


def _in_a_message(file: str, line: int) -> bool:
    """Whether a line of a file belongs to a `raise` or an `assert`."""
    return any(
        first <= line <= last for first, last in _messages("".join(linecache.getlines(file)))
    )


@functools.lru_cache(maxsize=16)
def _messages(text: str) -> tuple[tuple[int, int], ...]:
    """The first and the last line of each `raise` and `assert`."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:  # a cell of a notebook with commands of its own
        return ()
    kinds = (ast.Raise, ast.Assert)
    return tuple((n.lineno, n.end_lineno or n.lineno) for n in nodes if isinstance(n, kinds))
