"""Reverse mode: a program in stack form, and behind it its way back.

A member runs the program forward. Each block pushes on a *tape* what its way back will need: the
values that are overwritten later, and from which block it was reached where that is not known. When
the member has returned it goes back: for each block there is an adjoint block, which pops what the
block has pushed, adds the vector-Jacobian product of the block's operations to the adjoints of what
they read, and goes on to the adjoint of the block before. What happens inside a block is computed
again. The adjoint of a push is a pop, that of a pop is a push, and a call or a return is an edge
like any other, so recursion, `break` and early `return` need no case of their own.

The tape is made of ordinary stacks, one frame for each block. So members go back on their own as
they went forward on their own, and whatever runs, stops, grows or shows a program does so with its
way back.

Source: reverse accumulation with a tape of blocks. What is recorded is the "to be recorded" set of
Hascoet, Naumann and Pascual 2005, with "can be reached" for "is overwritten".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis import dataflow, effects, flow
from pcbatch.passes.reverse import primitives
from pcbatch.passes.reverse.derivatives import Derivatives
from pcbatch.passes.reverse.region import Region, regions
from pcbatch.passes.reverse.scope import Scope
from pcbatch.passes.reverse.ways import FINISH, Ways
from pcbatch.passes.rewrite import Names, moves, rename, tidy_types

INTEGER = ir.TensorType("int32", ())


def adjoint(
    program: ir.StackProgram, wrt: tuple[ir.Source, ...], by_rows: bool = True
) -> ir.StackProgram:
    """Differentiate a program.

    Args:
      program: verified, in stack form. Its first output is a floating scalar.
      wrt: with regard to what it is differentiated: floating inputs by their positions, shared
        values, and what primitives read by themselves.
      by_rows: whether what reads an element of a large array adds to one row of the adjoint. What
        is made then cannot be differentiated itself.

    Returns:
      The program that gives what the other one gives, and then the derivative of the first output
      with regard to each of these that is not summed. It adds those to their totals.

    Raises:
      ProgramError: the derivative would pass through what has none.
    """
    operations = (o for block in program.blocks for o in block.operations)
    assert not any(isinstance(o, ir.Accumulate) for o in operations), "no derivative of a total"
    return _Adjoint(program, wrt, by_rows).program()


@dataclasses.dataclass
class _Block:
    """A block and its adjoint, as they are made.

    Attributes:
      before: operations to add, by the position in the block that they precede.
      tape: what the block pushes and its adjoint pops, by name.
      back: the operations of the adjoint, without pops and pushes.
    """

    before: dict[int, list[Any]] = dataclasses.field(default_factory=dict)
    tape: dict[ir.Variable, None] = dataclasses.field(default_factory=dict)
    back: list[Any] = dataclasses.field(default_factory=list)


class _Adjoint:
    def __init__(self, program: ir.StackProgram, wrt: tuple[ir.Source, ...], by_rows: bool):
        self._program = program
        view = flow.of_stack(program)
        labels = Names((*view.blocks, ir.HALT))
        self._scope = scope = Scope(program)
        self._bar, self._variable, self._types = scope.bar, scope.variable, scope.types
        self._derivatives = Derivatives(program, view, scope, wrt, by_rows)
        self._active = self._derivatives.active
        self._ways = Ways(program, view, labels)
        self._first, self._seed = labels.fresh("forward"), labels.fresh("seed")
        self._later = _assigned_later(view)
        read = sorted(self._derivatives.buffers_read())
        self._copies = {x: scope.buffer(f"{x}.copy", x) for x in read}
        self._saved: dict[ir.Variable, ir.Variable] = {}
        self._untaped: dict[ir.Variable, None] = {}
        self._tapes: set[ir.Variable] = set(program.tapes)
        self._origin = self._variable("origin", INTEGER)
        self._came: dict[ir.Label, ir.Variable] = {}
        self._recorded: dict[tuple[ir.Label, str, int], ir.Variable] = {}

    def _saved_bar(self, name: ir.Variable) -> ir.Variable:
        """What the adjoint of a pop pushes."""
        if name not in self._saved:
            self._saved[name] = self._scope.like(f"{name}.bar.saved", name)
            self._tapes.add(self._saved[name])
        return self._saved[name]

    # --- The program -----------------------------------------------------------------------

    def program(self) -> ir.StackProgram:
        old, ways = self._program, self._ways
        span = old.blocks[0].terminator.span
        both = [(block, *self._both(block)) for block in old.blocks]
        address = self._variable(f"{old.address}.back", INTEGER)
        totals = old.totals
        sources = [
            x for x in self._derivatives.sources if self._derivatives.totals.get(x) not in totals
        ]
        slopes = [self._bar(name) for name in sources]
        returned = [self._scope.like(f"{name}.slope", name) for name in sources]
        copied = list(zip(returned, slopes, strict=True))
        arrays = [
            ir.Primitive((to,), primitives.Same(), (bar,), bar, span)
            for to, bar in copied
            if bar in self._scope.buffers
        ]
        others = moves(((to, bar) for to, bar in copied if bar not in self._scope.buffers), span)
        last = ir.Block(ways.finish, (*arrays, *others), ir.Return((), span, address))
        blocks = (
            self._prologue(span),
            *(recording for _, recording, _ in both),
            *self._turn(span),
            *(made for block, _, parts in both for made in self._adjoint_blocks(block, parts)),
            last,
        )
        return tidy_types(
            dataclasses.replace(
                old,
                blocks=flow.in_order(blocks),
                types={**old.types, **self._scope.variables},
                outputs=(*old.outputs, *returned),
                address=address,
                buffers={**old.buffers, **self._scope.buffers},
                tapes=frozenset(self._tapes),
            )
        )

    def _prologue(self, span: Span) -> ir.Block:
        """Begin with adjoints of zero; then call the program."""
        inputs = set(self._program.inputs)
        bars, buffers = self._scope.bars.values(), self._scope.buffers
        zero = [x for x in bars if x not in buffers]
        zero += [x for x in self._untaped if x not in inputs]
        types = tuple(self._types[name] for name in zero)
        operations: list[Any] = [
            ir.Primitive(tuple(zero), primitives.Zeros(types), (), "0", span),
            ir.Primitive((self._origin,), primitives.Origin(FINISH), (), "origin", span),
        ]
        for name in (x for x in bars if x in buffers):
            whole = self._scope.like("whole", name)
            zeros = primitives.Zeros((buffers[name].whole,))
            operations.append(ir.Primitive((whole,), zeros, (), "0", span))
            operations += self._store_whole(name, whole, span)
        for name, copy in self._copies.items():
            whole = self._scope.like("whole", name)
            operations.append(ir.Primitive((whole,), primitives.Same(), (name,), name, span))
            operations += self._store_whole(copy, whole, span)
        entry = self._program.blocks[0].label
        call = ir.PushJump(self._seed, entry, self._program.address, span)
        return ir.Block(self._first, tuple(operations), call)

    def _turn(self, span: Span) -> tuple[ir.Block, ...]:
        """Where a member that has returned begins to go back."""
        result = self._bar(self._program.outputs[0])
        one = primitives.One(self._types[result].dtype)
        seed = ir.Primitive((result,), one, (), "1", span)
        block = ir.Block(self._seed, (seed,), ir.Return((), span))
        return self._ways.going(block, self._ways.before_the_end(), self._origin, self._variable)

    def _store_whole(self, buffer: str, value: ir.Variable, span: Span) -> list[Any]:
        """Write all elements of an adjoint at once."""
        index = self._variable("index", INTEGER)
        zero = ir.Primitive((index,), primitives.Zeros((INTEGER,)), (), "0", span)
        length = self._scope.buffers[buffer].length
        return [zero, ir.Store(buffer, index, value, span, length)]

    # --- A block ---------------------------------------------------------------------------

    def _both(self, block: ir.Block) -> tuple[ir.Block, _Block]:
        """A block with what it records, and the parts of its adjoint."""
        parts = _Block()
        back: list[list[Any]] = []
        for region in regions(block):
            store = region.store
            if store is None:
                back.append(self._through(block, region, parts))
            else:
                back.append(self._through_store(block, region, store, parts))
        for operations in reversed(back):
            parts.back += operations
        return self._recording(block, parts), parts

    def _through(self, block: ir.Block, region: Region, parts: _Block) -> list[Any]:
        """The operations that take adjoints back through primitives."""
        back, span = self._derivatives.back(block, region), region.operations[-1].span
        values = {x: self._value(block, region.start, x, parts) for x in back.inputs}
        operations = [rename(operation, reads=values) for operation in back.operations]
        bars = {self._bar(name): found for name, found in back.changed.items()}
        for bar, found in bars.items():
            if found is not None and bar in self._scope.buffers:
                operations += self._store_whole(bar, found, span)
        kept = {bar: x for bar, x in bars.items() if x and bar not in self._scope.buffers}
        operations += moves(kept.items(), span)
        if zero := tuple(bar for bar, found in bars.items() if found is None):
            zeros = primitives.Zeros(tuple(self._types[x] for x in zero))
            operations.append(ir.Primitive(zero, zeros, (), "0", span))
        return operations

    def _through_store(
        self, block: ir.Block, region: Region, store: ir.Store, parts: _Block
    ) -> list[Any]:
        """The operations that take the adjoint of a stored value out of the buffer's.

        What is stored stays stored. The derivatives read a copy of the buffer, of which each
        element is put back on the way.
        """
        copy, passed = self._copies.get(store.buffer), store.buffer in self._active
        if copy is None and not passed:
            return []
        index = self._value(block, region.start, store.index, parts)
        operations = self._taken_back(store, index) if passed else []
        if copy is not None:
            row = primitives.Row(self._program.buffers[store.buffer], store.several)
            old = self._variable(f"{block.label}.{store.buffer}", self._row_type(store))
            text, args = f"{copy}[{store.index}]", (copy, store.index)
            read = ir.Primitive((old,), row, args, text, store.span)
            parts.before.setdefault(region.start, []).append(read)
            both = dataclasses.replace(store, buffer=copy)
            parts.before.setdefault(region.end, []).append(both)
            self._tape(old, parts)
            operations.append(dataclasses.replace(store, buffer=copy, index=index, value=old))
        return operations

    def _taken_back(self, store: ir.Store, index: ir.Variable) -> list[Any]:
        span, bar, operations = store.span, self._bar(store.buffer), list[Any]()
        type_ = self._row_type(store)
        zero = self._variable("zero", type_)
        if store.value in self._active:
            value = self._bar(store.value)
        else:
            value = self._variable("unused", type_)
            zeros = primitives.Zeros((type_,))
            operations.append(ir.Primitive((value,), zeros, (), "0", span))
        row = primitives.Row(self._program.buffers[store.buffer], store.several)
        text, args = f"{value} + {bar}[{index}]", (bar, index, value)
        back = primitives.TakenBack(row)
        operations.append(ir.Primitive((value, zero), back, args, text, span))
        operations.append(dataclasses.replace(store, buffer=bar, index=index, value=zero))
        return operations

    def _row_type(self, store: ir.Store) -> ir.TensorType:
        return self._program.buffers[store.buffer].row(store.several)

    def _tape(self, name: ir.Variable, parts: _Block) -> None:
        parts.tape[name] = None
        self._tapes.add(name)

    def _value(self, block: ir.Block, position: int, name: str, parts: _Block) -> str:
        """What holds on the way back what a name held at a place of a block."""
        if name not in self._program.types:
            return self._copies.get(name, name)
        writes = [effects.writes(i) for i in (*block.operations, block.terminator)]
        here = any(name in targets for targets in writes[position:])
        if not here and name not in self._later[block.label]:
            self._untaped[name] = None
            return name
        key = (block.label, name, sum(name in targets for targets in writes[:position]))
        if key not in self._recorded:
            self._recorded[key] = self._variable(f"{block.label}.{name}", self._types[name])
        kept = self._recorded[key]
        if kept not in parts.tape:
            copy = moves([(kept, name)], block.terminator.span)
            parts.before.setdefault(position, []).extend(copy)
            self._tape(kept, parts)
        return kept

    # --- Ways ------------------------------------------------------------------------------

    def _recording(self, block: ir.Block, parts: _Block) -> ir.Block:
        """The block with its copies, its origin, and its pushes."""
        span = block.terminator.span
        operations: list[Any] = []
        for position, operation in enumerate(block.operations):
            operations += parts.before.get(position, [])
            operations.append(operation)
        operations += parts.before.get(len(block.operations), [])
        pushes = [op for op in operations if isinstance(op, ir.Push)]
        pops = [op for op in operations if isinstance(op, ir.Pop)]
        rest = [op for op in operations if not isinstance(op, ir.Pop | ir.Push)]
        if self._ways.has_several(block.label):
            origin = self._variable(f"{block.label}.origin", INTEGER)
            self._tape(origin, parts)
            self._came[block.label] = origin
            rest = [*moves([(origin, self._origin)], span), *rest]
        if self._ways.must_tell(block.label):
            number = primitives.Origin(self._ways.number[block.label])
            rest.append(ir.Primitive((self._origin,), number, (), f"{block.label}", span))
        pushes += [ir.Push(name, span) for name in parts.tape]
        return dataclasses.replace(block, operations=(*pops, *rest, *pushes))

    def _adjoint_blocks(self, block: ir.Block, parts: _Block) -> tuple[ir.Block, ...]:
        """The adjoint of a block, and where several blocks come before it, the way to each."""
        span, active = block.terminator.span, self._active
        pushed = [o.variable for o in block.operations if isinstance(o, ir.Push)]
        popped = [o.variable for o in block.operations if isinstance(o, ir.Pop)]
        pushed, popped = ([x for x in xs if x in active] for xs in (pushed, popped))
        pops = [ir.Pop(name, span) for name in reversed(parts.tape)]
        pops += [ir.Pop(self._saved_bar(name), span) for name in reversed(pushed)]
        operations: list[Any] = [*pops]
        if pushed:
            bars = tuple(map(self._bar, pushed))
            args = (*bars, *map(self._saved_bar, pushed))
            operations.append(ir.Primitive(bars, primitives.Plus(), args, "add", span))
        operations += parts.back
        if popped:
            bars = tuple(map(self._bar, popped))
            operations += moves(zip(map(self._saved_bar, popped), bars, strict=True), span)
            zeros = primitives.Zeros(tuple(self._types[x] for x in popped))
            operations.append(ir.Primitive(bars, zeros, (), "0", span))
        operations += [ir.Push(self._saved_bar(name), span) for name in popped]
        label, ways = block.label, self._ways
        made = ir.Block(ways.back[label], tuple(operations), ir.Return((), span))
        origin = self._came.get(label, self._origin)
        return ways.going(made, ways.before(label), origin, self._variable)


def _assigned_later(view: flow.Flow) -> Mapping[ir.Label, frozenset[ir.Variable]]:
    """By block, the variables that some block behind it assigns."""
    writes = {
        label: frozenset(name for i in view.instructions(label) for name in effects.writes(i))
        for label in view.blocks
    }
    solution = dataflow.solve(
        view,
        direction="backward",
        border=lambda label: frozenset(),
        transfer=lambda label, later: later | writes[label],
        join=lambda a, b: a | b,
    )
    return solution.at_end
