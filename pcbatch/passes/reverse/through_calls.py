"""The way back through a call of a recomputed function, and through one of Python on the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis.activity import is_floating
from pcbatch.passes.reverse.backward import Back
from pcbatch.passes.reverse.primitives import Plus, Same, Zeros
from pcbatch.passes.reverse.recomputed import Recomputed
from pcbatch.passes.reverse.scope import Scope


class Through:
    """Goes back through calls.

    Args:
      scope: the names.
      active: the variables through which a derivative passes.
      totals: by name, what is added to where a derivative is summed over all members.
    """

    def __init__(self, scope: Scope, active: frozenset[str], totals: Mapping[str, str]):
        self._scope, self._active, self._totals = scope, active, totals

    def call(
        self,
        call: ir.Call,
        live: frozenset[ir.Variable],
        recomputed: Recomputed,
        hidden: Sequence[tuple[str, ir.Source]],
    ) -> Back:
        """Make the way back through a call that is computed again.

        Args:
          call: it.
          live: what is live behind the call.
          recomputed: the functions.
          hidden: what the callee reads that is not among the arguments, by name, if it is active.
        """
        positions = [i for i, x in enumerate(call.args) if x in self._active]
        by = (*positions, *(source for _, source in hidden))
        assigned = self._assigned(call.targets, live)
        if not assigned or not by:
            return Back((), (), dict.fromkeys(assigned))
        floats = [x for x in call.targets if is_floating(self._scope.types[x])]
        operations, bars = self._bars(floats, assigned, call.span)
        names = [call.args[i] for i in positions]
        names += [name for name, source in hidden if not isinstance(source, ir.Summed)]
        slopes = self._slopes(names)
        back = recomputed.back(call.callee, by)
        operations.append(ir.Call(slopes, back, (*call.args, *bars), (), call.span))
        changed = self._added(zip(names, slopes, strict=True), assigned, operations, call.span)
        return Back(tuple(dict.fromkeys(call.args)), tuple(operations), changed)

    def host(self, call: ir.HostCall, live: frozenset[ir.Variable]) -> Back:
        """Make the way back through a host call, which calls the host for it."""
        names = [x for x in call.args if is_floating(self._scope.types[x])]
        assigned = self._assigned(call.targets, live)
        if not assigned or self._active.isdisjoint(names):
            return Back((), (), dict.fromkeys(assigned))
        assert call.gradient is not None, "refused"
        operations, bars = self._bars(call.targets, assigned, call.span)
        slopes, args = self._slopes(names), (*call.args, *bars)
        text = f"gradient of {call.text}"
        operations.append(ir.HostCall(slopes, call.gradient, args, text, call.span))
        pairs = [(x, slope) for x, slope in zip(names, slopes, strict=True) if x in self._active]
        for name, slope in pairs:
            if total := self._totals.get(name) if name not in self._scope.bars else None:
                add = ir.Accumulate((), (total,), Same(), (slope,), (0,), text, call.span)
                operations.append(add)
        own = [(x, slope) for x, slope in pairs if x in self._scope.bars or x not in self._totals]
        changed = self._added(own, assigned, operations, call.span)
        return Back(tuple(dict.fromkeys(call.args)), tuple(operations), changed)

    def _assigned(
        self, targets: tuple[ir.Variable, ...], live: frozenset[ir.Variable]
    ) -> list[ir.Variable]:
        """What a call assigns that has an adjoint."""
        return [x for x in targets if x in self._active and x in live]

    def _bars(
        self, targets: Iterable[ir.Variable], assigned: list[ir.Variable], span: Span
    ) -> tuple[list[Any], list[ir.Variable]]:
        """The adjoints of what a call assigns, and what makes those that are zero."""
        operations, bars = list[Any](), list[ir.Variable]()
        for target in targets:
            if target in assigned:
                bars.append(self._scope.bar(target))
                continue
            bars.append(self._scope.like(f"{target}.bar.zero", target))
            zeros = Zeros((self._scope.types[target],))
            operations.append(ir.Primitive((bars[-1],), zeros, (), "0", span))
        return operations, bars

    def _slopes(self, names: Iterable[str]) -> tuple[ir.Variable, ...]:
        return tuple(self._scope.like(f"{name}.slope", name) for name in names)

    def _added(
        self,
        slopes: Iterable[tuple[str, ir.Variable]],
        assigned: list[ir.Variable],
        operations: list[Any],
        span: Span,
    ) -> dict[str, ir.Variable | None]:
        """By name, what has its adjoint before the call; what adds it up is appended."""
        changed: dict[str, ir.Variable | None] = dict.fromkeys(assigned)
        for name, slope in slopes:
            before = changed[name] if name in changed else self._scope.bar(name)
            both = slope if before is None else self._scope.like(f"{name}.bar", name)
            if before is not None:
                operations.append(ir.Primitive((both,), Plus(), (before, slope), "add", span))
            changed[name] = both
        return changed
