"""Generator functions that go on from one `yield` to the next, see `semantics.generated`.

    def lcg(x):                         if g.state == 1: x = g.x; go on below
        while True:                     x = g.x
            x = x * 5 % 97       =>     while True:
            yield x                         x = x * 5 % 97
                                            g.x, g.state = x, 1; return True
                                            # here it goes on
                                        return False

The generator keeps the variables that are read behind a `yield`, those that loops have for
themselves, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import gast

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.frontend import stores
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.compile import Known
from pcbatch.frontend.expressions import value
from pcbatch.frontend.nodes import constant
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.frontend.yielding import marked
from pcbatch.ir.analysis import effects
from pcbatch.semantics.generated import (
    ELEMENT,
    OVER,
    PARAMETER,
    STATE,
    Own,
    Stands,
    own,
    variables,
)
from pcbatch.semantics.unbound import flag

_DISPATCH, _FIRST = "resumed.dispatch", "resumed.first"


@dataclasses.dataclass(frozen=True)
class _Suspended:
    """Marks where a generator stops: a primitive's function that does nothing."""

    state: int

    def __call__(self) -> tuple[()]:
        return ()


class Resumed:
    """The lowering of a generator function so that it goes on.

    Args:
      b: its builder; `b.source.node` is changed.

    Attributes:
      given: what the generator has at its beginning.
    """

    def __init__(self, b: Builder):
        self._b = b
        self.given = variables(b.fn)
        self._again = list[ir.Label]()
        self._still = frozenset[str]()
        self._loading = dict[ir.Label, int]()
        self._span: Span = b.source.head()
        node = b.source.node
        node.body = marked(node.body)
        for part in own_nodes(node, generators=False):
            if isinstance(part, gast.Return):
                part.value = constant(False, part)
        b.local |= {PARAMETER}
        b.give = self._give

    def begin(self) -> None:
        """Open the block in which the statements begin."""
        self._b.flow.jump(_DISPATCH, self._span)
        self._b.flow.start(_FIRST)

    def _give(self, b: Builder, statement: gast.Expr) -> None:
        """Stop with an element, and have a label where the statements go on."""
        span, given, result = b.span(statement), value(b, statement.value), b.flow.temporary()
        (again,) = b.flow.labels("yield", "again")
        self._again.append(again)
        b.flow.run((), _Suspended(len(self._again)), (), "yield", span)
        self._store(ELEMENT, given, span)
        b.flow.run((result,), Known(len(self._again)), (), str(len(self._again)), span)
        self._store(STATE, result, span)
        b.flow.run((result,), Known(True), (), "True", span)
        b.flow.close(ir.Return((result,), span))
        b.flow.start(again)

    def _store(self, attribute: str, variable: ir.Variable, span: Span) -> None:
        self._b.flow.emit(_named(attribute, span))
        self._b.flow.emit(_stored(attribute, variable, span))

    def finish(self) -> tuple[ir.Block, ...]:
        """The blocks, when all statements are lowered."""
        flow, span = self._b.flow, self._span
        if flow.reachable:
            result = flow.temporary()
            flow.run((result,), Known(False), (), "False", span)
            flow.close(ir.Return((result,), span))
        flow.start(_DISPATCH)
        state, over = flow.temporary(), flow.temporary()
        flow.run((state,), Own(STATE), (PARAMETER,), STATE, span)
        flow.run((over,), Known(OVER), (), str(OVER), span)
        self._store(STATE, over, span)  # until the next `yield`
        for number, again in enumerate((_FIRST, *self._again)):
            condition = flow.temporary()
            load, other = flow.labels("resumed", "load", "other")
            self._loading[load] = number
            flow.run((condition,), Stands(number), (state,), f"{STATE} == {number}", span)
            flow.close(ir.Branch(condition, load, other, span))
            flow.start(load)
            flow.jump(again, span)
            flow.start(other)
        flow.run((over,), Known(False), (), "False", span)
        flow.close(ir.Return((over,), span))
        blocks = flow.finish()
        live = _live(blocks, self._again)
        written = {x for block in blocks for op in block.operations for x in effects.writes(op)}
        self._still = frozenset(self.given).difference(written)
        kept = {0: list(self.given)}
        for number, again in enumerate(self._again, start=1):
            kept[number] = sorted(x for x in live.get(again, ()) if self._is_own(x))
        return tuple(part for block in blocks for part in self._with_kept(block, kept))

    def _is_own(self, variable: ir.Variable) -> bool:
        return variable != PARAMETER and (variable in self._b.local or variable.startswith("%"))

    def _with_kept(self, block: ir.Block, kept: dict[int, list[str]]) -> Iterator[ir.Block]:
        """A block, where it loads what is kept, or keeps it."""
        if (state := self._loading.get(block.label)) is not None:
            loads = tuple(op for name in kept[state] for op in self._loads(name, state))
            yield dataclasses.replace(block, operations=loads)
            return
        at = next((k for k, op in enumerate(block.operations) if _is_mark(op)), None)
        if at is None:
            yield block
            return
        mark = block.operations[at]
        before, span = block.operations[:at], mark.span
        after, label, handlers = block.operations[at + 1 :], block.label, block.handlers
        for k, name in enumerate(kept[mark.fn.state]):
            if name in self._still:
                continue
            saves = (_named(own(name), span), _stored(own(name), name, span))
            if name not in self._b.unbound:
                before += saves
                continue
            bound = own(flag(name))
            before += (_named(bound, span), _stored(bound, flag(name), span))
            is_bound, then = (f"{block.label}.{x}_{k}" for x in ("bound", "then"))
            yield ir.Block(label, before, ir.Branch(flag(name), is_bound, then, span), handlers)
            yield ir.Block(is_bound, saves, ir.Jump(then, span), handlers)
            before, label = (), then
        yield ir.Block(label, (*before, *after), block.terminator, handlers)

    def _loads(self, name: str, state: int) -> Iterator[ir.Primitive]:
        names = (name, flag(name)) if state and name in self._b.unbound else (name,)
        for one in names:
            yield ir.Primitive((one,), Own(own(one)), (PARAMETER,), name, self._span)


def _is_mark(op: ir.CallOperation) -> bool:
    return isinstance(op, ir.Primitive) and isinstance(op.fn, _Suspended)


def _name_of(attribute: str) -> ir.Variable:
    return f"%name_of_{attribute}"


def _named(attribute: str, span: Span) -> ir.Primitive:
    fn = stores.Named(attribute)
    return ir.Primitive((_name_of(attribute),), fn, (), f".{attribute}", span)


def _stored(attribute: str, variable: ir.Variable, span: Span) -> ir.Store:
    return ir.Store(PARAMETER, _name_of(attribute), variable, span, text=attribute)


def _live(blocks: tuple[ir.Block, ...], again: list[ir.Label]) -> dict[ir.Label, frozenset[str]]:
    """By label, the variables that are read before they are written.

    Args:
      blocks: of the generator.
      again: where it goes on, by state, from the first `yield`.
    """
    live = dict.fromkeys((block.label for block in blocks), frozenset[str]())
    changing = True
    while changing:
        changing = False
        for block in reversed(blocks):
            caught = frozenset(x for h in block.handlers for x in live[h.label])
            marks = (op.fn.state for op in block.operations if _is_mark(op))
            ways = (*effects.jumps(block.terminator), *(again[state - 1] for state in marks))
            found = caught.union(*(live.get(x, frozenset()) for x in ways))
            found |= frozenset(effects.source_reads(block.terminator))
            for op in reversed(block.operations):
                found = found.difference(effects.writes(op)).union(effects.source_reads(op), caught)
            if found != live[block.label]:
                live[block.label], changing = found, True
    return live
