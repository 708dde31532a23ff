"""What plain functions change that an expression calls, and that the program has not made.

A list in a global variable, or one that a class has, is one for all members. An expression runs
when the program is traced, once for all of them, so that a change would be made once, too.
"""

from __future__ import annotations

import collections
import copy
import dis
import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.randomness import CONTAINERS

_CHANGING = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault", "pop",
    "popitem", "popleft", "remove", "discard", "clear", "sort", "reverse", "rotate",
    "at", "fill", "put", "copyto", "place", "putmask", "fill_diagonal", "partition", "resize",
})  # fmt: skip
"""Methods that change what they are of."""
_INSTEAD = (
    "return what is to be kept, and keep it in a list that the function makes:\n"
    "kept = []\n"
    "kept.append(x)"
)


class OutsideWatch:
    """Remembers what the functions around a primitive could change.

    Args:
      around: what its operands lead to, see `randomness.reached`.
    """

    def __init__(self, around: Sequence[Any]):
        may_change = any(isinstance(x, types.CodeType) and _changes(x) for x in around)
        containers = [x for x in around if isinstance(x, CONTAINERS)] if may_change else []
        self._before = [(x, copy.copy(x)) for x in containers]

    def check(self, span: Span, again: Callable[[], Any]) -> None:
        """Refuse a primitive that changes one of them each time.

        What is built at the first use, and kept, is the same for all members.

        Args:
          span: of the primitive.
          again: runs it once more.

        Raises:
          ProgramError: it does; what it has changed is as it was.
        """
        if not self._changed(self._before):
            return
        first = [(x, copy.copy(x)) for x, _ in self._before]
        again()
        changed = self._changed(first)
        if changed:
            for container, before in self._before:
                _restore(container, before)
            what = f"a {type(changed[0]).__name__} that the program has not made"
            raise ProgramError(report.ChangesObject(span, what, _INSTEAD))

    @staticmethod
    def _changed(known: Sequence[tuple[Any, Any]]) -> list[Any]:
        return [x for x, before in known if not _is_same(x, before)]


def _is_same(a: Any, b: Any) -> bool:
    """Whether two containers have the same elements: arrays by value, others by identity."""
    if isinstance(a, np.ndarray):
        return a.tobytes() == b.tobytes()
    return len(a) == len(b) and all(x is y for x, y in zip(_elements(a), _elements(b), strict=True))


def _elements(container: Any) -> Iterator[Any]:
    if isinstance(container, dict):
        return (part for pair in container.items() for part in pair)
    return iter(container)


def _restore(container: Any, before: Any) -> None:
    if isinstance(container, (set, dict)):
        container.clear()
        container.update(before)
    elif isinstance(container, collections.deque):
        container.clear()
        container.extend(before)
    elif isinstance(container, np.ndarray):
        container[...] = before
    else:
        container[:] = before


@functools.lru_cache(maxsize=1024)
def _changes(code: types.CodeType) -> bool:
    """Whether code may change a container."""
    if not _CHANGING.isdisjoint(code.co_names):
        return True
    steps = dis.get_instructions(code)
    return any(
        step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
        or (step.opname == "BINARY_OP" and str(step.argrepr).endswith("="))
        for step in steps
    )
