"""Primitives that follow each other in a block, and the versions of what they assign."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.passes.reverse.scope import Scope


@dataclasses.dataclass(frozen=True, slots=True)
class Region:
    """Operations of a block that are differentiated together.

    Attributes:
      operations: primitives that follow each other; or one store, one call, or one host call.
      start: the position of the first in its block.
      end: the position behind the last.
    """

    operations: tuple[Any, ...]
    start: int
    end: int

    @property
    def alone(self) -> ir.Store | ir.Call | ir.HostCall | None:
        """The store or the call, if it is one."""
        (first, *_) = self.operations
        return None if isinstance(first, ir.Primitive) else first

    @property
    def writes(self) -> tuple[str, ...]:
        """What primitives assign."""
        return tuple(dict.fromkeys(t for o in self.operations for t in o.targets))


def regions(block: ir.Block) -> tuple[Region, ...]:
    """Cut the operations of a block; checks, pushes and pops are in no region."""
    found: list[Region] = []
    for position, operation in enumerate(block.operations):
        match operation:
            case ir.Primitive() if found and found[-1].alone is None:
                last = found.pop()
                found.append(Region((*last.operations, operation), last.start, position + 1))
            case ir.Primitive() | ir.Store() | ir.Call() | ir.HostCall():
                found.append(Region((operation,), position, position + 1))
    return tuple(found)


class Versions:
    """The versions of variables in a region: each assignment makes one.

    Copies make none: their target is the version that it is a copy of, so that an adjoint goes
    through them by itself. What is computed from shared values alone, a weight in another shape for
    example, is computed again by whatever reads it: no member has an adjoint of it.

    Args:
      region: of primitives.
      scope: the names.
      shared: the shared values.
      active: the variables through which a derivative passes.

    Attributes:
      primitives: those that are no copies, on versions.
      last: the version that each variable has at the end of the region.
      origin: the variable of which each version is one.
    """

    def __init__(
        self, region: Region, scope: Scope, shared: Container[str], active: Container[str]
    ):
        of_shared: dict[str, ir.Primitive] = {}
        self.last: dict[str, str] = {}
        self.origin: dict[str, str] = {}
        self.primitives: list[ir.Primitive] = []
        for operation in region.operations:
            args = tuple(self.last.get(name, name) for name in operation.args)
            if operation.fn is ir.move:
                self.last.update(zip(operation.targets, args, strict=True))
                continue
            targets = tuple(scope.like(f"{name}.again", name) for name in operation.targets)
            self.origin.update(zip(targets, operation.targets, strict=True))
            self.last.update(zip(operation.targets, targets, strict=True))
            made = dataclasses.replace(operation, targets=targets, args=args)
            if not made.batched:
                made = _with(of_shared, made)
                differs = any(name not in shared for name in made.args)
                if not differs and any(name in active for name in operation.targets):
                    of_shared.update(dict.fromkeys(targets, made))
            self.primitives.append(made)

    def again(self, wanted: Iterable[str]) -> tuple[list[ir.Primitive], tuple[str, ...]]:
        """What computes some versions again, and what that needs from before the region."""
        needed, made = dict.fromkeys(wanted), list[ir.Primitive]()
        for primitive in reversed(self.primitives):
            if not needed.keys().isdisjoint(primitive.targets):
                needed.update(dict.fromkeys(primitive.args))
                made.append(primitive)
        return made[::-1], tuple(name for name in needed if name not in self.origin)


@dataclasses.dataclass(frozen=True, eq=False)
class Together:
    """The primitive that computes what another one reads, and then that one.

    Attributes:
      first: in order; what they read is among `args`.
      last: gives the results.
      args: what it is given.
    """

    first: tuple[ir.Primitive, ...]
    last: ir.Primitive
    args: tuple[str, ...]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        known = dict(zip(self.args, args, strict=True))
        for primitive in self.first:
            results = primitive.fn(*(known[name] for name in primitive.args))
            known.update(zip(primitive.targets, results, strict=True))
        return self.last.fn(*(known[name] for name in self.last.args))


def _with(made: Mapping[str, ir.Primitive], primitive: ir.Primitive) -> ir.Primitive:
    """A primitive that computes by itself what it reads, as far as it is known how."""
    first = tuple(dict.fromkeys(made[name] for name in primitive.args if name in made))
    if not first:
        return primitive
    own = [name for name in primitive.args if name not in made]
    args = tuple(dict.fromkeys((*own, *(name for x in first for name in x.args))))
    return dataclasses.replace(primitive, fn=Together(first, primitive, args), args=args)
