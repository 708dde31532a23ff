"""Calls that are given the elements of lists of the member, `f(*xs)`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.infer.calls import REST, Argument, Callee
from pcbatch.infer.kinds import is_list
from pcbatch.infer.primitive_steps import PrimitiveSteps
from pcbatch.infer.refusals import of_misuse
from pcbatch.semantics.displays import displayed, tuple_displayed
from pcbatch.semantics.misuse import Unsupported


class Starred(PrimitiveSteps):
    """Puts the arguments for `*args` into one tuple, of a length per member."""

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
            raise self._unknown_number(op)
        rest = [(a, k) for a, k in given[start:] if k in (None, "*")]
        name = f"%rest_of_{op.targets[0]}"
        if not self._makes_tuple(_tuple(name, rest, op)):
            return None
        named = [(a, k) for a, k in given if k not in (None, "*")]
        args, keywords = zip(*given[:start], (name, REST), *named, strict=True)
        return dataclasses.replace(op, args=args, keywords=keywords)

    def _makes_tuple(self, op: ir.Primitive) -> bool:
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
