"""Functions that are lowered again: what their expressions have given need not be found again.

Inference knows a primitive by its function, which is compiled anew each time. Where the code is as
it was, the earlier function takes the place of the new one.
"""

from __future__ import annotations

import collections
import dataclasses
import types
from typing import Any

from pcbatch import ir


class KnownPrimitives:
    """The functions of the primitives of one program, in all forms that it has had."""

    def __init__(self) -> None:
        self._known: dict[Any, list[types.FunctionType]] = collections.defaultdict(list)

    def in_place_of(self, source: ir.Function) -> ir.Function:
        """A function of the program with known primitives, where it has equal ones.

        Args:
          source: as it has been lowered now.
        """
        counts: collections.Counter[Any] = collections.Counter()

        def known(op: Any) -> Any:
            if not isinstance(op, ir.Primitive) or not isinstance(op.fn, types.FunctionType):
                return op
            code = op.fn.__code__
            # Equal code that stands in several blocks, as of a `finally`, stays as many functions.
            key = source.name, code, code.co_linetable
            number, earlier = counts[key], self._known[key]
            counts[key] += 1
            if number == len(earlier):
                earlier.append(op.fn)
            elif _is_alike(earlier[number], op.fn):
                return dataclasses.replace(op, fn=earlier[number])
            return op

        blocks = tuple(
            dataclasses.replace(block, operations=tuple(map(known, block.operations)))
            for block in source.blocks
        )
        return dataclasses.replace(source, blocks=blocks)


def _is_alike(one: types.FunctionType, other: types.FunctionType) -> bool:
    """Whether two functions with the same code mean the same, and the same is said of them."""
    if one.__closure__ or other.__closure__ or one.__defaults__ or other.__defaults__:
        return False
    return one.__globals__.keys() == other.__globals__.keys() and vars(one) == vars(other)
