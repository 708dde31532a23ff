"""The way back through the primitives of a region, as it is made.

The adjoint of a version is a variable; each derivative that adds to it makes another one. Only at
the end of the region do the adjoints of what was there before it go to the variables in which they
are kept from block to block.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.passes.reverse.derivative import Derivative
from pcbatch.passes.reverse.primitives import Plus
from pcbatch.passes.reverse.region import Versions
from pcbatch.passes.reverse.scope import Scope
from pcbatch.passes.tracing import Restricted


@dataclasses.dataclass(frozen=True, slots=True)
class Back:
    """The way back through a region.

    Attributes:
      inputs: the names of which it needs the values that they had before the region.
      operations: primitives and additions to totals, in order.
      changed: by name, the variable that has its adjoint then; None: it is zero.
    """

    inputs: tuple[str, ...]
    operations: tuple[Any, ...]
    changed: Mapping[str, ir.Variable | None]


class Backward:
    """The way back through a region, as it is made.

    Args:
      versions: of the region.
      scope: the names.
      active: the variables and the buffers through which a derivative passes.
      span: the place of the region.

    Attributes:
      needed: the versions that it needs.
      operations: primitives and additions to totals.
    """

    def __init__(self, versions: Versions, scope: Scope, active: frozenset[str], span: Span):
        self.versions, self._scope, self._active = versions, scope, active
        self._span = span
        self.needed: dict[str, None] = {}
        self.operations: list[Any] = []
        self._bars: dict[str, ir.Variable] = {}

    def is_active(self, version: str) -> bool:
        """Whether a derivative passes through a version, or through a source."""
        return self.versions.origin.get(version, version) in self._active

    def begin(self, name: str) -> None:
        """Take the adjoint that a variable has behind the region to its last version."""
        version, bar = self.versions.last[name], self._scope.bar(name)
        if not self.is_active(version):
            return
        if self.has_adjoint(version):
            both = self._scope.like(f"{version}.bar", version)
            args = (self.adjoint(version), bar)
            self.operations.append(ir.Primitive((both,), Plus(), args, "add", self._span))
            bar = both
        self._bars[version] = bar

    def has_adjoint(self, version: str) -> bool:
        """Whether a version has an adjoint that may be another than zero."""
        return version in self._bars or not self._begins_here(version)

    def adjoint(self, version: str) -> str:
        """The adjoint of a version that has one."""
        return self._bars.get(version) or self._scope.bar(version)

    def _begins_here(self, version: str) -> bool:
        """Whether nothing behind the region uses a version."""
        return version in self.versions.origin or version in self.versions.last

    def outputs(self, primitive: ir.Primitive) -> tuple[str, ...]:
        """What a primitive assigns that has an adjoint."""
        return tuple(x for x in primitive.targets if x in self._bars)

    def add(
        self, made: Derivative, needed: tuple[int, ...] | None, totals: Mapping[str, str]
    ) -> None:
        """Add what takes adjoints back through a primitive.

        Args:
          made: its derivative.
          needed: the positions of the arguments that the derivative depends on; None: it takes the
            batch axis itself.
          totals: by what is summed.
        """
        names = (*made.inputs, *made.outputs, *made.kept)
        given = (*made.inputs, *map(self.adjoint, (*made.outputs, *made.kept)))
        positions = range(len(given)) if needed is None else needed
        self.needed.update(dict.fromkeys(given[i] for i in positions if i < len(made.inputs)))
        args, span = tuple(given[i] for i in positions), made.primitive.span
        run: Any = made
        if needed is not None:
            run = Restricted(made, needed, tuple(self._scope.types[x] for x in names))
        text = f"back({made.primitive.text})"
        targets = tuple(self._scope.like(f"{x}.bar", x) for x in made.wrt)
        if made.summed:
            adjoints = range(len(made.inputs), len(made.inputs) + len(made.outputs))
            linear = tuple(i for i, position in enumerate(positions) if position in adjoints)
            sums = tuple(totals[x] for x in made.summed)
            self.operations.append(ir.Accumulate(targets, sums, run, args, linear, text, span))
        else:
            batched = made.primitive.batched
            self.operations.append(ir.Primitive(targets, run, args, text, span, batched))
        self._bars.update(zip(made.wrt, targets, strict=True))

    def changed(
        self, assigned: Iterable[str], live: frozenset[str]
    ) -> dict[str, ir.Variable | None]:
        """By name, what has its adjoint before the region; None: nothing, it is zero."""
        origin = self.versions.origin
        found: dict[str, ir.Variable | None] = {
            name: bar for name, bar in self._bars.items() if name not in origin
        }
        zero = {name: None for name in assigned if name in live and name not in found}
        return {**found, **zero}
