"""Blocks under construction: the part of the builder that knows nothing of syntax."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span


@dataclasses.dataclass(slots=True)
class _Draft:
    label: ir.Label
    operations: list[ir.CallOperation] = dataclasses.field(default_factory=list)
    terminator: ir.CallTerminator | None = None


class Flow:
    """Blocks in the order in which they are started, one of them open.

    After a jump, a branch, a return or a failure no block is open until `start` opens the next;
    what is emitted in between cannot be reached and is dropped.
    """

    def __init__(self) -> None:
        self._drafts: dict[ir.Label, _Draft] = {}
        self._open: _Draft | None = None
        self._labels: collections.Counter[str] = collections.Counter()
        self._temporaries = 0
        self.start("entry")

    @property
    def reachable(self) -> bool:
        """Whether a block is open."""
        return self._open is not None

    def temporary(self) -> ir.Variable:
        """Return a fresh variable: "%1", "%2", ..."""
        self._temporaries += 1
        return f"%{self._temporaries}"

    def labels(self, kind: str, *parts: str) -> tuple[ir.Label, ...]:
        """Return fresh labels for one construct: "if_1.then", "if_1.else"."""
        self._labels[kind] += 1
        return tuple(f"{kind}_{self._labels[kind]}.{part}" for part in parts)

    def start(self, label: ir.Label) -> None:
        """Open a new block; the one before must have been closed."""
        assert self._open is None, f"block {label} starts inside another"
        self._open = self._drafts[label] = _Draft(label)

    def emit(self, operation: ir.CallOperation) -> None:
        if self._open is not None:
            self._open.operations.append(operation)

    def run(
        self,
        targets: tuple[ir.Variable, ...],
        fn: Callable[..., tuple[Any, ...]],
        args: tuple[ir.Variable, ...],
        text: str,
        span: Span,
    ) -> None:
        """Emit a primitive."""
        self.emit(ir.Primitive(targets, fn, args, text, span))

    def move(self, target: ir.Variable, value: ir.Variable, span: Span) -> None:
        """Emit a copy of one variable."""
        if target != value:
            self.run((target,), ir.move, (value,), value, span)

    def close(self, terminator: ir.CallTerminator) -> None:
        """End the open block, if there is one."""
        if self._open is not None:
            self._open.terminator = terminator
            self._open = None

    def jump(self, target: ir.Label, span: Span) -> None:
        self.close(ir.Jump(target, span))

    def finish(self) -> tuple[ir.Block, ...]:
        """Return the blocks that can be reached from the entry, in order."""
        live = set()
        pending = ["entry"]
        while pending:
            label = pending.pop()
            if label not in live:
                live.add(label)
                pending += successors(self._drafts[label].terminator)
        drafts = [draft for label, draft in self._drafts.items() if label in live]
        return tuple(ir.Block(d.label, tuple(d.operations), d.terminator) for d in drafts)


def successors(terminator: ir.CallTerminator | None) -> tuple[ir.Label, ...]:
    """Return the labels that a terminator may go to."""
    match terminator:
        case ir.Jump(target=target):
            return (target,)
        case ir.Branch(then=then, orelse=orelse):
            return (then, orelse)
    return ()
