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

Source: reverse accumulation with a tape of blocks.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch import ir
from pcbatch.errors import Span
from pcbatch.ir.analysis import flow
from pcbatch.passes.reverse import primitives
from pcbatch.passes.reverse.derivatives import Derivatives
from pcbatch.passes.reverse.recomputed import Recomputed
from pcbatch.passes.reverse.recording import Recording, Recordings
from pcbatch.passes.reverse.region import Region, regions
from pcbatch.passes.reverse.scope import Scope
from pcbatch.passes.reverse.ways import FINISH, Ways
from pcbatch.passes.rewrite import Names, moves, rename, tidy_types

INTEGER = ir.TensorType("int32", ())


def adjoint(
    program: ir.StackProgram,
    wrt: tuple[ir.Source, ...],
    recomputed: Recomputed,
    by_rows: bool = True,
) -> ir.StackProgram:
    """Differentiate a program.

    Args:
      program: verified, in stack form, but that calls of recomputed functions are operations of
        blocks. Its first output is a floating scalar.
      wrt: with regard to what it is differentiated: floating inputs by their positions, shared
        values, and what primitives read by themselves.
      recomputed: the functions that these calls mean. Those of their ways back are added.
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
    return _Adjoint(program, wrt, recomputed, by_rows).program()


class _Adjoint:
    def __init__(
        self,
        program: ir.StackProgram,
        wrt: tuple[ir.Source, ...],
        recomputed: Recomputed,
        by_rows: bool,
    ):
        self._program = program
        view = flow.of_stack(program)
        labels = Names((*view.blocks, ir.HALT))
        self._scope = scope = Scope(program)
        self._bar, self._variable, self._types = scope.bar, scope.variable, scope.types
        self._derivatives = Derivatives(program, view, scope, wrt, by_rows, recomputed)
        self._active = self._derivatives.active
        self._ways = Ways(program, view, labels)
        self._first, self._seed = labels.fresh("forward"), labels.fresh("seed")
        read = sorted(self._derivatives.buffers_read())
        self._copies = {x: scope.buffer(f"{x}.copy", x) for x in read}
        self._recordings = Recordings(program, view, scope, self._copies)
        self._saved: dict[ir.Variable, ir.Variable] = {}
        self._origin = self._variable("origin", INTEGER)
        self._came: dict[ir.Label, ir.Variable] = {}

    def _saved_bar(self, name: ir.Variable) -> ir.Variable:
        """What the adjoint of a pop pushes."""
        if name not in self._saved:
            self._saved[name] = self._scope.like(f"{name}.bar.saved", name)
            self._recordings.tapes.add(self._saved[name])
        return self._saved[name]

    # --- The program -----------------------------------------------------------------------

    def program(self) -> ir.StackProgram:
        old, ways = self._program, self._ways
        span = old.blocks[0].terminator.span
        both = list(map(self._both, old.blocks))
        address = self._variable(f"{old.address}.back", INTEGER)
        sources = self._derivatives.returned
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
            *(recorded for recorded, _ in both),
            *self._turn(span),
            *(block for _, adjoint in both for block in adjoint),
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
                tapes=frozenset(self._recordings.tapes),
            )
        )

    def _prologue(self, span: Span) -> ir.Block:
        """Begin with adjoints of zero; then call the program."""
        inputs = set(self._program.inputs)
        bars, buffers = self._scope.bars.values(), self._scope.buffers
        zero = [x for x in bars if x not in buffers]
        zero += [x for x in self._recordings.untaped if x not in inputs]
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

    def _both(self, block: ir.Block) -> tuple[ir.Block, tuple[ir.Block, ...]]:
        """A block with what it records, and its adjoint."""
        recording, back = self._recordings.of(block), list[list[Any]]()
        for region in regions(block):
            if isinstance(store := region.alone, ir.Store):
                back.append(self._through_store(recording, region, store))
            else:
                back.append(self._through(recording, region))
        operations = [operation for several in reversed(back) for operation in several]
        recorded = self._recorded(recording)
        return recorded, self._adjoint_blocks(recording, operations)

    def _through(self, recording: Recording, region: Region) -> list[Any]:
        """The operations that take adjoints back through primitives, or through a call."""
        back, span = self._derivatives.back(recording.block, region), region.operations[-1].span
        values = {x: recording.value(region.start, x) for x in back.inputs}
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

    def _through_store(self, recording: Recording, region: Region, store: ir.Store) -> list[Any]:
        """The operations that take the adjoint of a stored value out of the buffer's.

        What is stored stays stored. The derivatives read a copy of the buffer, of which each
        element is put back on the way.
        """
        copy, passed = self._copies.get(store.buffer), store.buffer in self._active
        if copy is None and not passed:
            return []
        index = recording.value(region.start, store.index)
        operations = self._taken_back(store, index) if passed else []
        if copy is not None:
            row = primitives.Row(self._program.buffers[store.buffer], store.several)
            label = recording.block.label
            old = self._variable(f"{label}.{store.buffer}", self._row_type(store))
            text, args = f"{copy}[{store.index}]", (copy, store.index)
            recording.insert(region.start, ir.Primitive((old,), row, args, text, store.span))
            recording.insert(region.end, dataclasses.replace(store, buffer=copy))
            recording.keep(old)
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

    # --- Ways ------------------------------------------------------------------------------

    def _recorded(self, recording: Recording) -> ir.Block:
        """The block with what it records, where the member came from among it."""
        label, span = recording.block.label, recording.block.terminator.span
        first, last = list[Any](), list[Any]()
        if self._ways.has_several(label):
            origin = self._came[label] = self._variable(f"{label}.origin", INTEGER)
            recording.keep(origin)
            first += moves([(origin, self._origin)], span)
        if self._ways.must_tell(label):
            number = primitives.Origin(self._ways.number[label])
            last.append(ir.Primitive((self._origin,), number, (), f"{label}", span))
        return recording.recorded(first, last)

    def _adjoint_blocks(self, recording: Recording, back: list[Any]) -> tuple[ir.Block, ...]:
        """The adjoint of a block, and where several blocks come before it, the way to each."""
        block = recording.block
        span, active = block.terminator.span, self._active
        pushed = [o.variable for o in block.operations if isinstance(o, ir.Push)]
        popped = [o.variable for o in block.operations if isinstance(o, ir.Pop)]
        pushed, popped = ([x for x in xs if x in active] for xs in (pushed, popped))
        pops = [ir.Pop(name, span) for name in reversed(recording.tape)]
        pops += [ir.Pop(self._saved_bar(name), span) for name in reversed(pushed)]
        operations: list[Any] = [*pops]
        if pushed:
            bars = tuple(map(self._bar, pushed))
            args = (*bars, *map(self._saved_bar, pushed))
            operations.append(ir.Primitive(bars, primitives.Plus(), args, "add", span))
        operations += back
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
