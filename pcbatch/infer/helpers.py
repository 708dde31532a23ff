"""Plain functions that are functions of the program: those that fail as a part of a primitive.

A plain function that an expression calls is traced with it, as one primitive for all members. That
is the shortest code there is, and fails where the function decides, loops or recurses by what only
a member has. Then the function is lowered as if it were autobatched, and inference begins again.
"""

from __future__ import annotations

import dis
import traceback
import types
from collections.abc import Callable, Iterable
from typing import Any

from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.calls import COMPREHENSIONS, Callee
from pcbatch.infer.failures import (
    ConditionInPrimitive,
    DtypesDiffer,
    KeyOfMember,
    NeedsNumbers,
    PlainCondition,
    PlainHandler,
    PlainIteration,
    PlainRecursion,
    PrimitiveFailed,
    UnknownLength,
)
from pcbatch.infer.refusals import TextOfMember
from pcbatch.semantics import prelude
from pcbatch.semantics.caches import uncached
from pcbatch.semantics.generated import GENERATOR
from pcbatch.semantics.plain_classes import construct, initializer, is_plain
from pcbatch.semantics.rounds import NeedsRounds, OnlyInProgram
from pcbatch.semantics.special import is_users
from pcbatch.semantics.user_code import is_users_file, users_frames

_OF_PRIMITIVES = (
    ConditionInPrimitive,
    DtypesDiffer,
    KeyOfMember,
    NeedsNumbers,
    PlainCondition,
    PlainHandler,
    PlainIteration,
    PlainRecursion,
    TextOfMember,
    UnknownLength,
)
"""What only a function that is part of a primitive cannot do."""

_Place = tuple[str, str]
"""The file and the name of a function: the code that runs it may have been compiled anew."""


class Helpers:
    """The plain functions that one program has among its own.

    Args:
      is_made: whether a function is part of a primitive, made by the front end.
    """

    def __init__(self, is_made: Callable[[types.FunctionType], bool]):
        self._is_made = is_made
        self._places: set[_Place] = set()
        self._on_heap: frozenset[type] = frozenset()

    def callee(self, value: Any) -> Callee | None:
        """The function of the program behind a plain function or a method; None for another."""
        if isinstance(value, type):
            return self._constructor(value)
        value, bound = uncached(value), tuple[Any, ...]()
        if isinstance(value, types.MethodType):
            value, bound = value.__func__, (value.__self__,)
        if isinstance(value, types.FunctionType) and GENERATOR in vars(value):
            return Callee(value, bound)
        if not self._places or not isinstance(value, types.FunctionType) or self._is_made(value):
            return None
        return Callee(value, bound) if _place(value.__code__) in self._places else None

    def _constructor(self, kind: type) -> Callee | None:
        """What makes an object of a class, whose `__init__` is a function of the program, too."""
        if kind in prelude.CLASSES or not (is_plain(kind) or kind in self._on_heap):
            return None
        if (function := initializer(kind)) is not None:
            self._places.add(_place(function.__code__))
        assert isinstance(construct, types.FunctionType)
        return Callee(construct, (kind,))

    def put_on_heap(self, kinds: frozenset[type]) -> None:
        """Have some classes make their objects in calls of the program.

        Their methods that decide, loop or assign attributes would be taken in one after the other.
        """
        self._on_heap = kinds
        methods = (x for kind in kinds for base in kind.__mro__ for x in vars(base).values())
        codes = (x.__code__ for x in methods if is_users(x) and not _is_special(x.__name__))
        self._places.update(_place(code) for code in codes if _does_more(code))

    def is_method(self, name: str) -> bool:
        """Whether a function of the program that was a plain one has this name."""
        return any(name == known for _, known in self._places)

    def take_in(self, codes: Iterable[types.CodeType]) -> None:
        """Have functions be functions of the program."""
        self._places.update(map(_place, codes))

    def learn(self, error: ProgramError) -> bool:
        """Take in the plain functions that an expression went through until it failed.

        Args:
          error: what was wrong with the expression.

        Returns:
          Whether there are any that were not known, so that inference may begin again.
        """
        cause = error.__cause__ or error
        kinds = (report.CallInsidePrimitive, *_OF_PRIMITIVES)
        of_primitive = isinstance(error.diagnostic, kinds)
        needed = of_primitive or isinstance(cause, (NeedsRounds, OnlyInProgram)) or _raises(error)
        if not (needed or error.helpers):
            return False
        known = len(self._places)
        for found in (error.helpers or _users_code(cause), error.methods):
            self._places.update(map(_place, found))
            if len(self._places) > known:
                return True
        return False


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _does_more(code: types.CodeType) -> bool:
    """Whether a function decides, loops, or assigns an attribute."""
    jumps = (*dis.hasjrel, *dis.hasjabs)
    steps = dis.get_instructions(code)
    return any(step.opcode in jumps or step.opname == "STORE_ATTR" for step in steps)


def _raises(error: ProgramError) -> bool:
    """Whether a function of the user's raises what the expression fails with, always."""
    if not isinstance(error.diagnostic, PrimitiveFailed) or error.__cause__ is None:
        return False
    *_, (frame, _) = traceback.walk_tb(error.__cause__.__traceback__)
    return is_users_file(frame.f_code.co_filename)


def _users_code(error: BaseException) -> list[types.CodeType]:
    """The code of the user's functions that an error went through, or was on its way to."""
    called = getattr(error, "called", None)
    code = getattr(getattr(called, "__func__", called), "__code__", None)
    wanted = [code] if code is not None and is_users_file(code.co_filename) else []
    return wanted + [c for c, _ in users_frames(error) if c.co_name not in COMPREHENSIONS]


def _place(code: types.CodeType) -> _Place:
    return code.co_filename, code.co_name
