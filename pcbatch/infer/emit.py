"""Write the typed call form of one specialization.

A source variable becomes one typed variable per tensor leaf: `tree.q` for leaf `q` of `tree`. A
variable whose type changes along the way gets another name for each type: `x`, `x~2`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pcbatch import ir
from pcbatch.backend.op_traces import PutAt
from pcbatch.errors import Span
from pcbatch.infer.allocation import Allocation
from pcbatch.infer.buffer_writer import New
from pcbatch.infer.call_writer import CallWriter, Nothing, Way
from pcbatch.infer.calls import Operand, children
from pcbatch.infer.domain import WHICH, NewBuffer, Static, Tensor, Value, as_tensor, carried
from pcbatch.infer.evaluation import Evaluation
from pcbatch.infer.list_values import layout_of
from pcbatch.infer.maybe_none import carried_over
from pcbatch.infer.recording import typed
from pcbatch.infer.rooms import Rooms
from pcbatch.infer.store import SharedTensors
from pcbatch.semantics import pytree
from pcbatch.semantics.arrays.writing import put
from pcbatch.semantics.lists import Change
from pcbatch.semantics.operators import truth

if TYPE_CHECKING:
    from pcbatch.infer.instance import Instance, UnrolledBlock


def parts(operand: Operand) -> list[Operand]:
    """One operand per leaf."""
    leaves = zip(operand.value.leaves, operand.names, strict=True)
    return [Operand(Value(pytree.LEAF, (leaf,)), (name,)) for leaf, name in leaves]


def is_none(operand: Operand) -> bool:
    return operand.value.leaf == Static(None)


BESIDE_THE_LENGTH = Operand(Value(pytree.LEAF, (Static(1),)), ("",))
"""Where a set has its state."""


class Emitter(CallWriter):
    """Collects the blocks of one typed function."""

    def __init__(self, instance: Instance, store: SharedTensors, rooms: Rooms):
        super().__init__(store, rooms)
        self.instance = instance
        self.catch: Callable[[str, Span], Way | None] | None = None
        self._blocks: list[ir.Block] = []
        self._params = tuple(
            name
            for param in instance.source.params
            for name in self._carried_names(param, instance.params[param])
        )

    # --- Operations ------------------------------------------------------------------------

    def begin(self, place: UnrolledBlock) -> None:
        self._label = self._part = str(place)
        self._operations = []
        self._parts: list[ir.Block] = []
        self._terminator: ir.CallTerminator | None = None
        self._edges: list[ir.Block] = []
        self._successors: list[UnrolledBlock] = []

    def finish(self) -> list[UnrolledBlock]:
        """Close the block; its successors in the order of its terminator."""
        self._blocks.extend(self._parts)
        self._blocks.append(ir.Block(self._part, tuple(self._operations), self._terminator))
        self._blocks.extend(self._edges)
        return self._successors

    def moves(self, targets: tuple[str, ...], operands: list[Operand], span: Span) -> None:
        pairs = [
            (target_name, name)
            for target, operand in zip(targets, operands, strict=True)
            for target_name, name, leaf in zip(
                self.operand(target, operand.value).names, operand.names, operand.value.leaves,
                strict=True,
            )
            if carried(leaf)
        ]  # fmt: skip
        self._move(pairs, span)

    def primitive(
        self,
        op: ir.Primitive | ir.Call,
        fn: Callable[..., tuple[Any, ...]],
        operands: list[Operand],
        outcome: Evaluation,
        results: tuple[Value, ...],
        makings: Mapping[int, Allocation],
        batched: bool,
    ) -> None:
        """Emit a primitive: leaves that are its arguments become moves, the rest is computed.

        Args:
          op: the operation.
          fn: what it runs.
          operands: its arguments.
          outcome: what evaluating it has given.
          results: the same values, with the rooms of new buffers.
          makings: those, by number.
          batched: `fn` takes the batch axis itself.
        """
        moved: list[tuple[str, str]] = []
        computed: list[tuple[str, int, int]] = []
        new: dict[int, New] = {}
        for i, (target, value) in enumerate(zip(op.targets, results, strict=True)):
            names = self.operand(target, value).names
            for j, (name, leaf) in enumerate(zip(names, value.leaves, strict=True)):
                made, alias = outcome.values[i].leaves[j], outcome.aliases[i][j]
                if isinstance(made, NewBuffer):
                    if made.number not in new:
                        new[made.number] = self.new(made, makings[made.number])
                        if new[made.number].contents:
                            computed.append((new[made.number].contents, i, j))
                    new[made.number].names.append(name)
                elif carried(leaf) and alias is None:
                    computed.append((name, i, j))
                elif carried(leaf) and alias is not None:
                    moved.append((name, operands[alias[0]].names[alias[1]]))
        values = tuple(o.value for o in operands)
        args = [n for o in operands for n in self.given(o, op.span, batched)]
        text = op.text if isinstance(op, ir.Primitive) else f"{op.callee}(...)"
        checks = {m: self._temporary(ir.TensorType("bool", ())) for m, _ in outcome.trace.checks}
        if computed or checks:
            selected = tuple((i, j) for _, i, j in computed)
            run = typed(fn, values, selected, outcome.trace, self.rooms, batched)
            if fn is put and len(args) == len(operands[0].names) + 2:
                run = PutAt(run.function, run.piece)
            targets = [*(name for name, _, _ in computed), *checks.values()]
            self._compute_and_move(targets, moved, run, args, text, op.span, batched)
            for message, condition in checks.items():
                self.check(condition, message, op.span)
        else:
            self._move(moved, op.span)
        for made_here in new.values():
            self.begin_buffer(made_here, op.span)

    def change(self, target: Operand, change: Change, span: Span) -> None:
        """Emit what a change of a list writes.

        Args:
          target: the list.
          change: the operands with what `Change` says.
          span: where it stands.
        """
        data, sizes, rows, _ = children(target)
        layout, level = layout_of(target.value), len(rows.value.leaves)
        row = math.prod(layout.capacity[level + 1 :])
        if not is_none(change.element):
            for buffer, value in zip(parts(data), parts(change.element), strict=True):
                if level + 1 == len(layout.capacity):
                    self.store(buffer, change.place, value, None, span)
                else:
                    self.store_row(buffer, change.place, value, row, span)
        if not is_none(change.contents):
            several = math.prod(layout.capacity[level:])
            for buffer, value in zip(parts(data), parts(change.contents), strict=True):
                self.store_row(buffer, change.own, value, several, span)
        lengths = parts(sizes)
        if not is_none(change.row_length):
            self.store(lengths[-1], change.place, change.row_length, None, span)
        if not is_none(change.row_lengths):
            places = layout.capacity[0]
            self.store_row(lengths[-1], change.own, change.row_lengths, places, span)
        if not is_none(change.length):
            self.store(lengths[sum(layout.grows[:level])], change.own, change.length, None, span)
        if not is_none(change.state):
            self.store(lengths[0], BESIDE_THE_LENGTH, change.state, None, span)

    def _compute_and_move(
        self,
        results: list[str],
        moved: list[tuple[str, str]],
        run: Callable[..., tuple[Any, ...]],
        args: list[str],
        text: str,
        span: Span,
        batched: bool,
    ) -> None:
        """Both read the old values, so what the moves overwrite is computed from first."""
        sources = {name for _, name in moved}
        if not sources & set(results):
            self._add(results, run, args, text, span, batched)
            self._move(moved, span)
            return
        fresh = [self._temporary(self._types[name]) for name in results]
        self._add(fresh, run, args, text, span, batched)
        targets = [t for t, _ in moved] + results
        self._add(targets, ir.move, [n for _, n in moved] + fresh, "move", span)

    # --- Exceptions ------------------------------------------------------------------------

    def check(self, condition: str, message: str, span: Span) -> None:
        """Emit what becomes of the members for which a condition does not hold."""
        way = self.catch(message, span) if self.catch is not None else None
        if way is None:
            super().check(condition, message, span)
        else:
            self.divert(condition, way, span)

    def divert(self, condition: str, way: Way, span: Span) -> None:
        """Go on where a condition holds, and leave the block by another way where not."""
        rest = f"{self._label}.past{len(self._parts)}"
        other = self._way(way, len(self._parts), span)
        branch = ir.Branch(condition, rest, other, span)
        self._parts.append(ir.Block(self._part, tuple(self._operations), branch))
        self._part, self._operations = rest, []

    def _way(self, way: Way, number: int, span: Span) -> str:
        """The label of a way out."""
        if not isinstance(way, int):
            self._successors.append(way[0])
            return self._edge_block(way, f"caught{number}", span)
        outer, self._operations = self._operations, []
        give_back = self._giving_back(way, span)
        label = f"{self._label}.raised{number}"
        self._edges.append(ir.Block(label, tuple(self._operations), give_back))
        self._operations = outer
        return label

    def _giving_back(self, number: int, span: Span) -> ir.Return:
        """Leave the function with the number of an exception; there is no result."""
        result = self.instance.result
        types = [t for t in map(carried, result.leaves) if t] if result else []
        values = [self._temporary(type_) for type_ in types]
        for name, type_ in zip(values, types, strict=True):
            self._add([name], Nothing(type_), [], "nothing", span)
        return ir.Return((*values, self._number(number + 1, span)), span)

    def _number(self, number: int, span: Span) -> str:
        name = self._temporary(WHICH)
        self._constant(name, number, WHICH, span)
        return name

    def leave(self, way: Way, span: Span) -> None:
        """End the block: each member that gets here has an exception."""
        if isinstance(way, int):
            self._terminator = self._giving_back(way, span)
        else:
            self.jump(way, span)

    # --- Terminators -----------------------------------------------------------------------

    def returns(self, operand: Operand, result: Value, span: Span) -> None:
        types = map(carried, result.leaves)
        parts_of = carried_over(operand.value, operand.names, result)
        leaves = ((leaf, name, type_) for (leaf, name), type_ in zip(parts_of, types, strict=True))
        values = [
            self._materialize(leaf, name, type_, span) for leaf, name, type_ in leaves if type_
        ]
        values += [self._number(0, span)] if self.instance.raised else []
        self._terminator = ir.Return(tuple(values), span)

    def fail(self, message: str, span: Span) -> None:
        self._terminator = ir.Fail(message, span)

    def unreachable(self, span: Span) -> None:
        """End a block after a call that never returns."""
        self._terminator = ir.Fail("a function that never returns has returned", span)

    def jump(self, edge: Any, span: Span) -> None:
        place = edge[0]
        self._convert_edge(edge, span)
        self._terminator = ir.Jump(str(place), span)
        self._successors.append(place)

    def branch(self, condition: Operand, then: Any, orelse: Any, span: Span) -> None:
        (leaf,), (name,) = condition.value.leaves, condition.names
        wanted = ir.TensorType("bool", ())
        if as_tensor(leaf).type != wanted:
            result = self._temporary(wanted)
            self._add([result], lambda x: (truth(x),), [name], f"bool({name})", span)
            name = result
        elif not isinstance(leaf, Tensor):
            name = self._materialize(leaf, name, wanted, span)
        labels = [self._edge_block(edge, f"edge{i}", span) for i, edge in enumerate((then, orelse))]
        self._terminator = ir.Branch(name, labels[0], labels[1], span)
        self._successors.extend((then[0], orelse[0]))

    def _edge_block(self, edge: Any, name: str, span: Span) -> str:
        """The label to branch to; a block of its own where the edge converts values."""
        outer, self._operations = self._operations, []
        self._convert_edge(edge, span)
        operations, self._operations = self._operations, outer
        if not operations:
            return str(edge[0])
        label = f"{self._label}.{name}"
        self._edges.append(ir.Block(label, tuple(operations), ir.Jump(str(edge[0]), span)))
        return label

    def _convert_edge(self, edge: Any, span: Span) -> None:
        for variable, here, there in edge[1]:
            if here is None:
                self._without(variable, there, span)
                continue
            if here == there:
                continue
            source, target = self.operand(variable, here), self.operand(variable, there)
            for (leaf, name), wanted, target_name in zip(
                carried_over(here, source.names, there), there.leaves, target.names, strict=True
            ):
                type_ = carried(wanted)
                if type_ and target_name != name:
                    self._convert(target_name, leaf, name, type_, span)

    def _without(self, variable: str, value: Value, span: Span) -> None:
        """Give a variable zeros that has no value: nothing reads them."""
        for name, leaf in zip(self.operand(variable, value).names, value.leaves, strict=True):
            if type_ := carried(leaf):
                self._add([name], Nothing(type_), [], "zeros", span)

    # --- The function ----------------------------------------------------------------------

    def function(self) -> ir.Function:
        result = self.instance.result
        results = [t for t in map(carried, result.leaves) if t] if result else []
        results += [WHICH] if self.instance.raised else []
        return ir.Function(
            name=self.instance.name,
            params=self._params,
            blocks=tuple(self._blocks),
            span=self.instance.source.span,
            types=dict(self._types),
            results=tuple(results),
            recomputed=self.instance.source.recomputed,
        )
