"""Drop the checks that cannot fail.

`for i in range(10): total += v[i]` of ten numbers needs no check: between which numbers an integer
is, a few rounds over the blocks of its function tell. Comparisons narrow that where a branch
follows them, and so does a check behind itself: what it says holds for all members that are left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from pcbatch import ir
from pcbatch.backend.op_traces import OpTrace
from pcbatch.ir.analysis import effects, flow, graph
from pcbatch.passes import intervals
from pcbatch.passes.intervals import FALSE, TRUE, TRUTH, Interval, Known
from pcbatch.passes.rewrite import is_move, map_functions, with_operations
from pcbatch.passes.tracing import Knowledge, argument_types

ROUNDS = 2
"""So often the head of a loop is looked at before what grows there may be anything."""


def drop_checks(program: ir.Program, knowledge: Knowledge) -> ir.Program:
    """Drop, in every function, the checks that hold for any member."""

    def change(function: ir.Function) -> ir.Function:
        if not any(isinstance(o, ir.Check) for b in function.blocks for o in b.operations):
            return function
        types = argument_types(function.types, program)
        return _Function(function, types, knowledge).without_checks()

    return map_functions(program, change)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Definition:
    """Where a truth value comes from: a tensor of a primitive's graph, and its arguments."""

    tensor: tf.Tensor
    found: Mapping[str, Interval]
    arguments: Mapping[str, str]


class _Function:
    """What is known of the integers of a function at the start of each block."""

    def __init__(
        self, function: ir.Function, types: Mapping[str, ir.TensorType], knowledge: Knowledge
    ):
        self._function, self._types, self._knowledge = function, types, knowledge
        self._flow = flow.of_function(function)
        order = graph.reverse_postorder(self._flow.successors, self._flow.entry)
        self._order = {label: i for i, label in enumerate(order)}
        self._start: dict[str, Known] = {self._flow.entry: {}}
        self._visits = dict.fromkeys(order, 0)
        self._runs: dict[int, tuple[list[intervals.Whole], Any, Mapping[str, Interval]]] = {}
        self._solve()

    def without_checks(self) -> ir.Function:
        """The function without the checks that always hold."""
        blocks = tuple(self._without(block) for block in self._function.blocks)
        return dataclasses.replace(self._function, blocks=blocks)

    def _without(self, block: ir.Block) -> ir.Block:
        if block.label not in self._start:
            return block
        kept: list[Any] = []

        def look(operation: Any, known: Known) -> None:
            holds = isinstance(operation, ir.Check) and known.get(operation.condition, TRUTH).low
            if not holds:
                kept.append(operation)

        self._through(block, look)
        return with_operations(block, kept)

    def _solve(self) -> None:
        waiting = {self._flow.entry}
        while waiting:
            label = min(waiting, key=self._order.__getitem__)
            waiting.discard(label)
            self._visits[label] += 1
            for successor, known in self._after(self._flow.blocks[label]):
                if self._arrive(label, successor, known):
                    waiting.add(successor)

    def _arrive(self, source: str, label: str, known: Known) -> bool:
        """Join what is known on a way to a block; whether that says something new."""
        old = self._start.get(label)
        if old is None:
            self._start[label] = known
            return True
        joined = {n: old[n].join(known[n]) for n in old.keys() & known.keys()}
        if self._order[source] >= self._order[label] and self._visits[label] > ROUNDS:
            joined = {n: self._widened(n, old[n], x) for n, x in joined.items()}
        self._start[label] = joined
        return joined != old

    def _widened(self, name: str, old: Interval, new: Interval) -> Interval:
        """An interval whose ends are as they were, or as far as the dtype goes."""
        most = intervals.of_dtype(tf.as_dtype(self._types[name].dtype)) or new
        low = old.low if new.low >= old.low else most.low
        return Interval(low, old.high if new.high <= old.high else most.high, new.nonzero)

    def _after(self, block: ir.Block) -> list[tuple[str, Known]]:
        """What is known on each way out of a block."""
        known, definitions = self._through(block)
        match block.terminator:
            case ir.Branch(condition=condition, then=then, orelse=orelse):
                made = definitions.get(condition)
                ways = ((then, True), (orelse, False))
                return [(x, _assuming(condition, made, wanted, known)) for x, wanted in ways]
            case terminator:
                return [(label, known) for label in effects.jumps(terminator)]

    def _through(
        self, block: ir.Block, look: Callable[[Any, Known], None] = lambda *_: None
    ) -> tuple[Known, dict[str, _Definition]]:
        """Go through a block; `look` is shown each operation with what is known before it."""
        known, definitions = dict(self._start[block.label]), dict[str, _Definition]()
        for operation in block.operations:
            look(operation, known)
            if isinstance(operation, ir.Check):
                made = definitions.get(operation.condition)
                known = _assuming(operation.condition, made, True, known)
                continue
            written = effects.writes(operation)
            new, made_here = self._results(operation, known)
            for name in written:
                known.pop(name, None)
                definitions.pop(name, None)
            known.update(new)
            stale = [
                n for n, d in definitions.items() if not d.arguments.keys().isdisjoint(written)
            ]
            for name in stale:
                del definitions[name]
            definitions.update(
                (n, d) for n, d in made_here.items() if d.arguments.keys().isdisjoint(written)
            )
        return known, definitions

    def _results(self, operation: Any, known: Known) -> tuple[Known, dict[str, _Definition]]:
        """What an operation makes known of the variables that it assigns."""
        if not isinstance(operation, ir.Primitive) or operation.batched:
            return {}, {}
        if is_move(operation):
            pairs = zip(operation.targets, operation.args, strict=True)
            return {t: known[s] for t, s in pairs if s in known}, {}
        if not any(self._is_whole(name) for name in operation.targets):
            return {}, {}
        piece = self._knowledge.piece(operation, self._types)
        if piece is None:
            return {}, {}
        inputs = {x.name: known.get(n) for x, n in zip(piece.inputs, operation.args, strict=True)}
        found = self._found(piece, inputs)
        results: Known = {}
        definitions: dict[str, _Definition] = {}
        arguments = {n: x.name for x, n in zip(piece.inputs, operation.args, strict=True)}
        for name, tensor in zip(operation.targets, piece.outputs, strict=True):
            if not tf.is_symbolic_tensor(tensor) or tensor.name not in found:
                continue
            results[name] = found[tensor.name]
            if tensor.dtype == tf.bool and tensor.shape.rank == 0:
                definitions[name] = _Definition(tensor, found, arguments)
        return results, definitions

    def _found(self, piece: OpTrace, inputs: dict[str, Interval | None]) -> Mapping[str, Interval]:
        """What is known of a piece; most come again with the same inputs."""
        tensors, last, found = self._runs.get(id(piece)) or (intervals.whole(piece), None, {})
        if inputs != last:
            found = intervals.run(tensors, inputs)
            self._runs[id(piece)] = tensors, inputs, found
        return found

    def _is_whole(self, name: str) -> bool:
        dtype = tf.as_dtype(self._types[name].dtype)
        return dtype == tf.bool or dtype.is_integer


def _assuming(condition: str, made: _Definition | None, wanted: bool, known: Known) -> Known:
    """What is known where a condition is as wanted."""
    narrowed = {**known, condition: TRUE if wanted else FALSE}
    if made is None:
        return narrowed
    found = dict(made.found)
    intervals.assume(made.tensor, wanted, found)
    for name, placeholder in made.arguments.items():
        if placeholder in found:
            narrowed[name] = found[placeholder].meet(known.get(name, found[placeholder]))
    return narrowed
