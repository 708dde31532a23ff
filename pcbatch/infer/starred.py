"""Calls that are given the elements of lists of the member, `f(*xs)`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend.unpacking import unpack
from pcbatch.infer.calls import REST, Argument, Callee
from pcbatch.infer.kinds import is_list
from pcbatch.infer.list_values import child_values, known_length
from pcbatch.infer.opening import expanded
from pcbatch.infer.primitive_steps import PrimitiveSteps
from pcbatch.infer.refusals import of_misuse
from pcbatch.semantics import faults
from pcbatch.semantics.builtin_functions import builtin
from pcbatch.semantics.collected import ELEMENTS
from pcbatch.semantics.displays import displayed, tuple_displayed
from pcbatch.semantics.misuse import Unsupported


class Starred(PrimitiveSteps):
    """Puts arguments for `*args` into one tuple, of a length per member; takes others apart."""

    def with_rest(self, op: ir.Call, callee: Callee, brought: Sequence[Argument]) -> ir.Call | None:
        """The call with such a tuple in the place of what only members know the number of; None
        where no member goes on.

        Raises:
          ProgramError: a parameter may be given one of the elements.
        """
        given = list(zip(op.args, op.keywords, strict=True))
        first = self._first_list(op)
        if first is None:
            return op
        start = _before_rest(callee, brought, op.keywords[:first])
        if start is None:
            return self._with_elements_apart(op, callee, brought)
        rest = [(a, k) for a, k in given[start:] if k in (None, "*")]
        name = f"%rest_of_{op.targets[0]}"
        if not self._runs_before(_tuple(name, rest, op)):
            return None
        named = [(a, k) for a, k in given if k not in (None, "*")]
        args, keywords = zip(*given[:start], (name, REST), *named, strict=True)
        return dataclasses.replace(op, args=args, keywords=keywords)

    def _with_elements_apart(
        self, op: ir.Call, callee: Callee, brought: Sequence[Argument]
    ) -> ir.Call | None:
        """The call with one argument for each element; None where no member goes on.

        A list of which only members know the length has as many as there are parameters left.

        Raises:
          ProgramError: parameters may be left out.
        """
        wanted = _wanted(callee, brought, self._ways_given(op))
        given: list[tuple[str, str | None]] = []
        for place, (argument, how) in enumerate(zip(op.args, op.keywords, strict=True)):
            value = self.read(argument, op.span)
            if how != "*" or not is_list(value.tree):
                given.append((argument, how))
                continue
            known = known_length(value)
            if known is None and (wanted is None or op.keywords.count("*") > 1):
                raise self._unknown_number(op)
            number = max(wanted or 0, 0) if known is None else known
            names = tuple(f"%{place}_{k}_of_{op.targets[0]}" for k in range(number))
            apart = _Apart(callee.function.__qualname__, number, op.keywords.count(None))
            op_apart = ir.Primitive(names, apart, (argument,), f"[*{argument}]", op.span)
            if not self._runs_before(op_apart):
                return None
            given += [(name, None) for name in names]
        args, keywords = zip(*given, strict=True) if given else ((), ())
        return dataclasses.replace(op, args=args, keywords=keywords)

    def _ways_given(self, op: ir.Call) -> list[str | None]:
        """How the arguments are given; those of `**` by their names."""
        ways: list[str | None] = []
        for argument, how in zip(op.args, op.keywords, strict=True):
            value = self.read(argument, op.span)
            named = child_values(expanded(value)) if how == "**" else ()
            ways += [str(key) for key, _ in named] if how == "**" else [how]
        return ways

    def _runs_before(self, op: ir.Primitive) -> bool:
        """Run a primitive that comes before the call; False where no member goes on."""
        self.shift = 1 + len(self.instance.blocks[self.place.label].operations)
        reached = self._primitive(op, op.fn, op.args)
        self.shift = 0
        return reached

    def check_number_of_arguments(self, op: ir.Call) -> None:
        """Refuse a call of which only members know how many arguments it has.

        Raises:
          ProgramError: it is one.
        """
        if self._first_list(op) is not None:
            raise self._unknown_number(op)

    @staticmethod
    def _unknown_number(op: ir.Call) -> ProgramError:
        said = Unsupported(
            "the number of arguments depends on data",
            "only members know how many elements there are; a function has one program for all, in "
            "which each parameter has a value. `*args` of a function of yours takes any number, "
            "if the parameters before it are given what stands before the star.",
            "name them, which stops the members that have another number:\n"
            "a, b, c = xs\nf(a, b, c)",
        )
        return ProgramError(of_misuse(op.span, said, ()))

    def _first_list(self, op: ir.Call) -> int | None:
        """The place of the first argument that is starred, and a list of the member."""
        given = enumerate(zip(op.args, op.keywords, strict=True))
        lists = (k for k, (a, how) in given if how == "*" and is_list(self.read(a, op.span).tree))
        return next(lists, None)


def _before_rest(
    callee: Callee, brought: Sequence[Argument], before: Sequence[str | None]
) -> int | None:
    """How many arguments of a call come before those of `*args`; None where that is not known.

    Args:
      callee: the function.
      brought: what it is given besides.
      before: how the arguments are given that come before the first of unknown length.
    """
    kinds = [parameter.kind for parameter in callee.signature.parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL not in kinds or "*" in before:
        return None
    wanted = kinds.index(inspect.Parameter.VAR_POSITIONAL) - len(callee.bound)
    wanted -= sum(keyword is None for _, keyword in brought)
    return wanted if wanted <= len(before) else None


def _wanted(callee: Callee, brought: Sequence[Argument], given: Sequence[str | None]) -> int | None:
    """How many arguments are left for one starred list; None where there may be more or fewer.

    Args:
      callee: the function.
      brought: what it is given besides.
      given: how the arguments are given.
    """
    parameters = [
        p
        for p in callee.signature.parameters.values()
        if p.name not in given and p.name != ELEMENTS
    ]
    needed = all(p.kind in _ORDINARY and p.default is p.empty for p in parameters)
    if not needed:
        return None
    others = len(callee.bound) + sum(keyword is None for _, keyword in brought)
    return len(parameters) - others - given.count(None)


_ORDINARY = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _tuple(name: str, rest: Sequence[tuple[str, str | None]], op: ir.Call) -> ir.Primitive:
    """What makes the tuple."""
    text = ", ".join(("*" if keyword else "") + name for name, keyword in rest)
    args = tuple(name for name, _ in rest)
    return ir.Primitive((name,), _together(rest), args, f"({text},)", op.span)


def _together(rest: Sequence[tuple[str, str | None]]) -> Any:
    several = tuple(keyword == "*" for _, keyword in rest)
    return _Together(several)


@dataclasses.dataclass(frozen=True)
class _Together:
    """The tuple of arguments, and of the elements of those that are starred."""

    starred: tuple[bool, ...]

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        pairs = zip(values, self.starred, strict=True)
        return (tuple_displayed(displayed(*(x if several else [x] for x, several in pairs))),)


@dataclasses.dataclass(frozen=True)
class _Apart:
    """The elements of a list, one for each parameter that is left.

    Attributes:
      function: what it is called in Python's messages.
      number: how many elements there are to be.
      others: how many arguments are given besides.
    """

    function: str
    number: int
    others: int

    def __call__(self, elements: Any) -> tuple[Any, ...]:
        length = builtin(len, elements)
        takes = f"{self.function}() takes {self.number + self.others} positional arguments"
        faults.require(length <= self.number, f"TypeError: {takes} but {{n}} were given")
        missing = f"TypeError: {self.function}() missing {{n}} required positional arguments"
        faults.require(length >= self.number, missing)
        with faults.unchecked():
            return unpack(elements, self.number)
