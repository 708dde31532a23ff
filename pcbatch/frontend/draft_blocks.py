"""Blocks under construction: the part of the builder that knows nothing of syntax."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis.effects import jumps
from pcbatch.semantics.maybe_none import settled, settled_element


@dataclasses.dataclass(slots=True)
class _Draft:
    label: ir.Label
    handlers: tuple[ir.Handler, ...] = ()
    operations: list[ir.CallOperation] = dataclasses.field(default_factory=list)
    terminator: ir.CallTerminator | None = None


class DraftBlocks:
    """Blocks in the order in which they are started, one of them open.

    After a jump, a branch, a return or a failure no block is open until `start` opens the next;
    what is emitted in between cannot be reached and is dropped.
    """

    def __init__(self) -> None:
        self._drafts: dict[ir.Label, _Draft] = {}
        self._open: _Draft | None = None
        self._labels: collections.Counter[str] = collections.Counter()
        self._temporaries = 0
        self._handlers: tuple[ir.Handler, ...] = ()
        self.start("entry")

    @property
    def reachable(self) -> bool:
        """Whether a block is open."""
        return self._open is not None

    def temporary(self) -> ir.Variable:
        """Return a fresh variable: "%1", "%2", ..."""
        self._temporaries += 1
        return f"%{self._temporaries}"

    def of_comprehension(self, name: str) -> ir.Variable:
        """Return a fresh variable for one of a comprehension: "%x_1"."""
        return f"%{name}_{self.temporary()[1:]}"

    @staticmethod
    def is_of_comprehension(variable: ir.Variable) -> bool:
        """Whether a variable is one of a comprehension."""
        return variable.startswith("%") and not variable[1:].isdigit()

    def labels(self, kind: str, *parts: str) -> tuple[ir.Label, ...]:
        """Return fresh labels for one construct: "if_1.then", "if_1.else"."""
        self._labels[kind] += 1
        return tuple(f"{kind}_{self._labels[kind]}.{part}" for part in parts)

    def start(self, label: ir.Label) -> None:
        """Open a new block; the one before must have been closed."""
        assert self._open is None, f"block {label} starts inside another"
        self._open = self._drafts[label] = _Draft(label, self._handlers)

    @contextlib.contextmanager
    def catching(self, handlers: Iterable[ir.Handler]) -> Iterator[None]:
        """Have blocks that are started inside name handlers, before those around."""
        outer = self._handlers
        self._handlers = (*handlers, *outer)
        try:
            yield
        finally:
            self._handlers = outer

    def emit(self, operation: ir.CallOperation) -> None:
        if self._open is not None:
            self._open.operations.append(operation)

    def last_operation(self) -> ir.CallOperation | None:
        """What was emitted last into the open block."""
        return self._open.operations[-1] if self._open and self._open.operations else None

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

    def is_reached(self, label: ir.Label) -> bool:
        """Whether a block that was started, or is open, may go to a label."""
        drafts = self._drafts.values()
        ends = (draft.terminator for draft in drafts if draft.terminator is not None)
        handlers = (handler for draft in drafts for handler in draft.handlers)
        return any(label in jumps(end) for end in ends) or any(h.label == label for h in handlers)

    def finish(self) -> tuple[ir.Block, ...]:
        """Return the blocks that can be reached from the entry, in order."""
        live = set()
        pending = ["entry"]
        while pending:
            label = pending.pop()
            if label not in live:
                live.add(label)
                pending += jumps(self._drafts[label].terminator)
                pending += (handler.label for handler in self._drafts[label].handlers)
        drafts = [draft for label, draft in self._drafts.items() if label in live]
        return tuple(
            ir.Block(d.label, tuple(self._settled(d)), d.terminator, d.handlers) for d in drafts
        )

    def _settled(self, draft: _Draft) -> Iterator[ir.CallOperation]:
        """The operations; one that raises leaves the variables that handlers see as they were."""
        for op in draft.operations:
            if not draft.handlers or not _may_raise(op):
                yield op
                continue
            kept = {t: t if t.startswith("%") else self.temporary() for t in op.targets}
            yield dataclasses.replace(op, targets=tuple(kept.values()))
            moved = {t: new for t, new in kept.items() if t != new}
            if moved:
                text, span = ", ".join(moved.values()), op.span
                yield ir.Primitive(tuple(moved), ir.move, tuple(moved.values()), text, span)


def _may_raise(op: ir.CallOperation) -> TypeGuard[ir.Primitive | ir.Call]:
    if isinstance(op, ir.Primitive):
        notes = (ir.move, ir.unbind, settled, settled_element)
        return op.fn not in notes and getattr(op.fn, "factory", None) is None
    return isinstance(op, ir.Call)
