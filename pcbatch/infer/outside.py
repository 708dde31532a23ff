"""What plain functions change that an expression calls, and that the program has not made.

A list in a global variable, or one that a class has, is one for all members. An expression runs
when the program is traced, once for all of them, so that a change would be made once, too.
"""

from __future__ import annotations

import copy
import dis
import functools
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.objects import restore
from pcbatch.infer.reachable import CONTAINERS, codes

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
    """Remembers what a primitive, and the functions that it calls, could change.

    Args:
      around: what its operands lead to, see `reachable`.
      names: that it reads.
    """

    def __init__(self, around: Sequence[Any], names: Collection[str]):
        self._functions = [x for x in around if isinstance(x, types.FunctionType)]
        codes_around = (code for f in self._functions for code in codes(f.__code__))
        may_change = not _CHANGING.isdisjoint(names) or any(map(_changes, codes_around))
        watched = [x for x in around if isinstance(x, (*CONTAINERS, np.ndarray))]
        self._before = [(x, copy.copy(x)) for x in watched] if may_change else []

    def __enter__(self) -> OutsideWatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """A primitive that fails has changed nothing."""
        if kind is not None:
            for container, before in self._before:
                if not _is_same(container, before):
                    restore(container, before)

    def check(self, span: Span, again: Callable[[], Any]) -> None:
        """Refuse a primitive that changes one of them each time.

        What is built at the first use, and kept, is the same for all members.

        Args:
          span: of the primitive.
          again: runs it once more.

        Raises:
          ProgramError: it does.
        """
        if not _changed(self._before):
            return
        first = [(x, copy.copy(x)) for x, _ in self._before]
        again()
        if changed := _changed(first):
            raise ProgramError(report.ChangesObject(span, self._named(changed[0]), _INSTEAD))

    def _named(self, container: Any) -> str:
        """What to call a container: a global variable, if a function has it as one."""
        for function in self._functions:
            for name in function.__code__.co_names:
                if function.__globals__.get(name) is container:
                    return f"`{name}`"
        return f"a {type(container).__name__} that the program has not made"


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
