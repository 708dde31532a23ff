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
from collections.abc import Iterable, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.ir.analysis import activity, dataflow, effects, flow
from pcbatch.ir.analysis.liveness import liveness
from pcbatch.passes import derivative
from pcbatch.passes.derivative import Derivative, Unit
from pcbatch.passes.rewrite import Names, moves, tidy_types
from pcbatch.passes.tracing import Restricted, argument_types, captures, is_read, trace

INTEGER = ir.TensorType("int32", ())
TRUTH = ir.TensorType("bool", ())
FINISH = -1
"""The number of what comes before the entry."""


def adjoint(program: ir.StackProgram, wrt: tuple[ir.Source, ...]) -> ir.StackProgram:
    """Differentiate a program.

    Args:
      program: verified, in stack form. Its first output is a floating scalar.
      wrt: with regard to what it is differentiated: floating inputs by their positions, shared
        values, and what primitives read by themselves.

    Returns:
      The program that gives what the other one gives, and then the derivative of the first output
      with regard to each of these.

    Raises:
      ProgramError: the derivative would pass through a host call.
    """
    return _Adjoint(program, wrt).program()


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


@dataclasses.dataclass(frozen=True)
class GradientThroughHost(Diagnostic):
    title = "a gradient would pass through `{name}`"
    reason = "it is Python on the host, of which no derivative is known, and floats go through it."
    remedy = "keep what it gives out of the differentiated value, or compute it in the program."
    name: str


class _Adjoint:
    def __init__(self, program: ir.StackProgram, wrt: tuple[ir.Source, ...]):
        self._program = program
        self._flow = flow.of_stack(program)
        self._types: dict[str, ir.TensorType] = argument_types(program.types, program)
        self._new: dict[ir.Variable, ir.TensorType] = {}
        self._names = Names((*program.types, *program.shared, *program.buffers))
        self._labels = Names((*self._flow.blocks, ir.HALT))
        self._captured: dict[str, ir.Captured] = {}
        self._reads: dict[tuple[Any, tuple[ir.TensorType, ...]], tuple[str, ...]] = {}
        self._wrt = [self._source(x) for x in wrt]
        self._active = activity.active(
            program.blocks, self._types, self._wrt, program.outputs[:1], self._hidden
        )
        _refuse_host_calls(program, self._active)
        self._later = _assigned_later(self._flow)
        self._number = {label: i for i, label in enumerate(self._flow.blocks)}
        self._back = {label: self._labels.fresh(f"{label}.back") for label in self._flow.blocks}
        self._ends = tuple(
            block.label
            for block in program.blocks
            if isinstance(block.terminator, ir.Return)
            and block.terminator.address == program.address
        )
        self._bars: dict[str, str] = {}
        self._bar_buffers: dict[str, ir.BufferType] = {}
        self._saved: dict[ir.Variable, ir.Variable] = {}
        self._untaped: dict[ir.Variable, None] = {}
        self._tapes: set[ir.Variable] = set(program.tapes)
        self._origin = self._variable("origin", INTEGER)
        self._came: dict[ir.Label, ir.Variable] = {}
        self._recorded: dict[tuple[ir.Label, str, int], ir.Variable] = {}
        self._derivatives: dict[tuple[ir.Label, int], Derivative | None] = {}
        self._positions: dict[Derivative, tuple[int, ...]] = {}
        self._live = liveness(self._flow)

    def _source(self, source: ir.Source) -> str:
        """The name of what one differentiates by."""
        match source:
            case int(position):
                return self._program.inputs[position]
            case ir.Captured():
                name = self._names.fresh(source.name)
                self._types[name] = source.type
                self._captured[name] = dataclasses.replace(source, name=name)
                return name
        return source

    def _hidden(self, primitive: ir.Primitive) -> tuple[str, ...]:
        """What of that a primitive reads by itself."""
        if not self._captured or primitive.fn is ir.move:
            return ()
        types = tuple(self._types[name] for name in primitive.args)
        if (primitive.fn, types) not in self._reads:
            read = captures(primitive.fn, types)
            self._reads[primitive.fn, types] = tuple(
                name
                for name, x in self._captured.items()
                if any(is_read(x.value, other) for other in read)
            )
        return self._reads[primitive.fn, types]

    # --- Names -----------------------------------------------------------------------------

    def _variable(self, name: str, type_: ir.TensorType) -> ir.Variable:
        name = self._names.fresh(name)
        self._new[name] = self._types[name] = type_
        return name

    def _bar(self, name: str) -> str:
        """The adjoint of a variable or of a buffer."""
        if name not in self._bars:
            if name in self._program.buffers:
                self._bars[name] = made = self._names.fresh(f"{name}.bar")
                self._bar_buffers[made] = self._program.buffers[name]
                self._types[made] = self._types[name]
            else:
                self._bars[name] = self._variable(f"{name}.bar", self._types[name])
        return self._bars[name]

    def _saved_bar(self, name: ir.Variable) -> ir.Variable:
        """What the adjoint of a pop pushes."""
        if name not in self._saved:
            self._saved[name] = self._variable(f"{name}.bar.saved", self._types[name])
            self._tapes.add(self._saved[name])
        return self._saved[name]

    # --- The program -----------------------------------------------------------------------

    def program(self) -> ir.StackProgram:
        old = self._program
        span = old.blocks[0].terminator.span
        contents = self._contents_needed()
        blocks = [self._both(block, contents) for block in old.blocks]
        seed, finish = self._labels.fresh("seed"), self._labels.fresh("finish")
        address = self._variable(f"{old.address}.back", INTEGER)
        slopes = [self._bar(name) for name in self._wrt]
        returned = [self._variable(f"{name}.slope", self._types[name]) for name in self._wrt]
        last = ir.Block(
            finish, moves(zip(returned, slopes, strict=True), span), ir.Return((), span, address)
        )
        result = self._bar(old.outputs[0])
        one = derivative.One(self._types[result].dtype)
        turn = self._going_back(
            seed, [ir.Primitive((result,), one, (), "1", span)], (), self._ends, self._origin,
            finish, span,
        )  # fmt: skip
        first = self._prologue(seed, span)
        forward = [block for block, _ in blocks]
        backward = [
            made
            for old_block, (_, parts) in zip(old.blocks, blocks, strict=True)
            for made in self._adjoint_blocks(old_block, parts, finish)
        ]
        return tidy_types(
            dataclasses.replace(
                old,
                blocks=flow.in_order((first, *forward, *turn, *backward, last)),
                types={**old.types, **self._new},
                outputs=(*old.outputs, *returned),
                address=address,
                buffers={**old.buffers, **self._bar_buffers},
                tapes=frozenset(self._tapes),
            )
        )

    def _prologue(self, seed: ir.Label, span: Span) -> ir.Block:
        """Begin with adjoints of zero; then call the program."""
        inputs = set(self._program.inputs)
        zero = [x for x in self._bars.values() if x not in self._bar_buffers]
        zero += [self._origin, *(x for x in self._untaped if x not in inputs)]
        types = tuple(self._types[name] for name in zero)
        operations: list[Any] = [
            ir.Primitive(tuple(zero), derivative.Zeros(types), (), "0", span),
            ir.Primitive((self._origin,), derivative.Origin(FINISH), (), "origin", span),
        ]
        for name, buffer in self._bar_buffers.items():
            index, whole = self._variable("index", INTEGER), self._variable("whole", buffer.whole)
            zeros = derivative.Zeros((INTEGER, buffer.whole))
            operations.append(ir.Primitive((index, whole), zeros, (), "0", span))
            operations.append(ir.Store(name, index, whole, span, buffer.length))
        entry = self._program.blocks[0].label
        call = ir.PushJump(seed, entry, self._program.address, span)
        return ir.Block(self._labels.fresh("forward"), tuple(operations), call)

    # --- A block ---------------------------------------------------------------------------

    def _contents_needed(self) -> frozenset[str]:
        """The buffers that some derivative reads."""
        found: set[str] = set()
        for block in self._program.blocks:
            for unit in derivative.units(block):
                made = self._derivative(block, unit) if unit.store is None else None
                if made is not None:
                    read = (made.inputs[i] for i in self._needed(made) if i < len(made.inputs))
                    found.update(name for name in read if name in self._program.buffers)
        return frozenset(found)

    def _derivative(self, block: ir.Block, unit: Unit) -> Derivative | None:
        """The derivative of primitives; None where nothing goes back through them."""
        key = (block.label, unit.start)
        if key not in self._derivatives:
            live = tuple(live for _, live in self._live.backward(block.label))[::-1]
            self._derivatives[key] = self._made(unit, live[unit.end - 1])
        return self._derivatives[key]

    def _made(self, unit: Unit, live: frozenset[ir.Variable]) -> Derivative | None:
        outputs = tuple(x for x in unit.writes if x in self._active and x in live)
        if not outputs:
            return None
        hidden = dict.fromkeys(x for op in unit.operations for x in self._hidden(op))
        wrt = tuple(x for x in (*unit.reads, *hidden) if x in self._active)
        captured = tuple(self._captured[x] for x in wrt if x in hidden)
        made = Derivative(unit.operations, unit.reads, outputs, wrt, captured=captured)
        if made.primitives[0].batched:
            made = dataclasses.replace(made, apart=len(outputs) > 1)
            self._positions[made] = tuple(range(len(self._argument_types(made))))
            return made
        known = trace(made, self._argument_types(made))
        if len(outputs) > 1 and not known.flat:
            made = dataclasses.replace(made, apart=True)
        self._positions[made] = known.needed
        return made

    def _needed(self, made: Derivative) -> tuple[int, ...]:
        """The positions of the arguments that a derivative depends on."""
        return self._positions[made]

    def _argument_types(self, made: Derivative) -> tuple[ir.TensorType, ...]:
        return tuple(self._types[x] for x in (*made.inputs, *made.outputs, *made.kept))

    def _both(self, block: ir.Block, contents: frozenset[str]) -> tuple[ir.Block, _Block]:
        """A block with what it records, and the parts of its adjoint."""
        parts = _Block()
        back: list[list[Any]] = []
        for unit in derivative.units(block):
            store = unit.store
            if store is None:
                made = self._derivative(block, unit)
                back.append(self._through(block, unit, made, parts) if made is not None else [])
            else:
                back.append(self._through_store(block, unit, store, contents, parts))
        for operations in reversed(back):
            parts.back += operations
        return self._recording(block, parts), parts

    def _through(self, block: ir.Block, unit: Unit, made: Derivative, parts: _Block) -> list[Any]:
        """The operations that take adjoints back through primitives."""
        needed = self._needed(made)
        given = [
            *(x if i not in needed else self._value(block, unit.start, x, parts)
              for i, x in enumerate(made.inputs)),
            *map(self._bar, made.outputs), *map(self._bar, made.kept),
        ]  # fmt: skip
        run: Any = made
        if len(needed) < len(given):
            run = Restricted(made, needed, self._argument_types(made))
        span = unit.operations[-1].span
        targets, stores = [], list[Any]()
        for name in made.changed:
            bar = self._bar(name)
            if bar in self._bar_buffers:
                targets.append(self._variable("whole", self._types[name]))
                index = self._variable("index", INTEGER)
                stores.append(_zero_index(index, span))
                stores.append(
                    ir.Store(bar, index, targets[-1], span, self._bar_buffers[bar].length)
                )
            else:
                targets.append(bar)
        text = f"back({'; '.join(o.text for o in unit.operations)})"
        args = tuple(given[i] for i in needed)
        batched = unit.operations[0].batched
        return [ir.Primitive(tuple(targets), run, args, text, span, batched), *stores]

    def _through_store(
        self, block: ir.Block, unit: Unit, store: ir.Store, contents: frozenset[str], parts: _Block
    ) -> list[Any]:
        """The operations that take the adjoint of a stored value out of the buffer's."""
        type_ = self._program.buffers[store.buffer]
        row, span = derivative.Row(type_, store.several), store.span
        restored, passed = store.buffer in contents, store.buffer in self._active
        if not (restored or passed):
            return []
        index = self._value(block, unit.start, store.index, parts)
        operations: list[Any] = []
        if passed:
            bar, zero = self._bar(store.buffer), self._variable("zero", type_.row(store.several))
            fn, value = derivative.TakenBack(row), zero
            if store.value in self._active:
                value = self._bar(store.value)
            else:
                value = self._variable("unused", type_.row(store.several))
                zeros = derivative.Zeros((self._types[value],))
                operations.append(ir.Primitive((value,), zeros, (), "0", span))
            text = f"{value} + {bar}[{index}]"
            operations.append(ir.Primitive((value, zero), fn, (bar, index, value), text, span))
            operations.append(ir.Store(bar, index, zero, span, store.several))
        if restored:
            old = self._variable(f"{block.label}.{store.buffer}", type_.row(store.several))
            text = f"{store.buffer}[{store.index}]"
            args = (store.buffer, store.index)
            parts.before.setdefault(unit.start, []).append(
                ir.Primitive((old,), row, args, text, span)
            )
            self._tape(old, parts)
            operations.append(ir.Store(store.buffer, index, old, span, store.several))
        return operations

    def _tape(self, name: ir.Variable, parts: _Block) -> None:
        parts.tape[name] = None
        self._tapes.add(name)

    def _value(self, block: ir.Block, position: int, name: str, parts: _Block) -> str:
        """What holds on the way back what a name held at a place of a block."""
        if name not in self._program.types:
            return name
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

    def _origins(self, label: ir.Label) -> tuple[int, ...]:
        """The numbers of the blocks from which one is reached."""
        found = tuple(self._number[x] for x in self._flow.predecessors[label])
        return (*found, FINISH) if label == self._flow.entry else found

    def _recording(self, block: ir.Block, parts: _Block) -> ir.Block:
        """The block with its copies, its origin, and its pushes."""
        span = block.terminator.span
        operations: list[Any] = []
        for position, operation in enumerate(block.operations):
            operations += parts.before.get(position, [])
            operations.append(operation)
        pushes = [op for op in operations if isinstance(op, ir.Push)]
        pops = [op for op in operations if isinstance(op, ir.Pop)]
        rest = [op for op in operations if not isinstance(op, ir.Pop | ir.Push)]
        if len(self._origins(block.label)) > 1:
            origin = self._variable(f"{block.label}.origin", INTEGER)
            self._tape(origin, parts)
            self._came[block.label] = origin
            rest = [*moves([(origin, self._origin)], span), *rest]
        if self._must_tell(block.label):
            number = derivative.Origin(self._number[block.label])
            rest.append(ir.Primitive((self._origin,), number, (), f"{block.label}", span))
        pushes += [ir.Push(name, span) for name in parts.tape]
        return dataclasses.replace(block, operations=(*pops, *rest, *pushes))

    def _must_tell(self, label: ir.Label) -> bool:
        """Whether what comes behind a block has to know that it came from there."""
        if label in self._ends and len(self._ends) > 1:
            return True
        return any(len(self._origins(x)) > 1 for x in self._flow.successors[label])

    def _adjoint_blocks(
        self, block: ir.Block, parts: _Block, finish: ir.Label
    ) -> tuple[ir.Block, ...]:
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
            operations.append(ir.Primitive(bars, derivative.Plus(), args, "add", span))
        operations += parts.back
        if popped:
            bars = tuple(map(self._bar, popped))
            operations += moves(zip(map(self._saved_bar, popped), bars, strict=True), span)
            zeros = derivative.Zeros(tuple(self._types[x] for x in popped))
            operations.append(ir.Primitive(bars, zeros, (), "0", span))
        pushes = tuple(ir.Push(self._saved_bar(name), span) for name in popped)
        before = self._flow.predecessors[block.label]
        return self._going_back(
            self._back[block.label], operations, pushes, before,
            self._came.get(block.label, self._origin), finish, span,
            entry=block.label == self._flow.entry,
        )  # fmt: skip

    def _going_back(
        self,
        label: ir.Label,
        operations: list[Any],
        pushes: Iterable[ir.Push],
        before: tuple[ir.Label, ...],
        origin: ir.Variable,
        finish: ir.Label,
        span: Span,
        entry: bool = False,
    ) -> tuple[ir.Block, ...]:
        """A block that goes on to the adjoint of the block that came before.

        Args:
          label: its own.
          operations, pushes: what it does.
          before: the blocks that may have come before.
          origin: the variable that says which.
          finish: where it goes if nothing did.
          span: the place.
          entry: nothing may have come before.
        """
        ways = [(self._number[x], self._back[x]) for x in before]
        ways += [(FINISH, finish)] if entry else []
        made: list[ir.Block] = []
        while len(ways) > 1:
            number, way = ways.pop(0)
            condition = self._variable("from", TRUTH)
            asked = ir.Primitive(
                (condition,), derivative.CameFrom(number), (origin,), f"from {way}", span
            )
            other = ways[0][1] if len(ways) == 1 else self._labels.fresh(label)
            branch = ir.Branch(condition, way, other, span)
            made.append(ir.Block(label, (*operations, asked, *pushes), branch))
            if len(ways) == 1:
                return tuple(made)
            label, operations, pushes = other, [], ()
        target = ways[0][1] if ways else finish
        made.append(ir.Block(label, (*operations, *pushes), ir.Jump(target, span)))
        return tuple(made)


def _zero_index(name: ir.Variable, span: Span) -> ir.Primitive:
    return ir.Primitive((name,), derivative.Zeros((INTEGER,)), (), "0", span)


def _refuse_host_calls(program: ir.StackProgram, active: frozenset[str]) -> None:
    for block in program.blocks:
        match block.terminator:
            case ir.Await(call=ir.HostCall(targets=targets, text=text, span=span)):
                if not active.isdisjoint(targets):
                    raise ProgramError(GradientThroughHost(span, text))


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
