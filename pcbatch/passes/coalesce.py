"""Join variables that are copied into each other and never hold different values at one time.

An array with another element is such a copy, too, see `arrays_in_place`.

A register of `[B, ...]` written under a mask is a full pass over memory, so a copy between two
variables that outlive their block is worth removing: arguments into parameters, results into
targets, values at the end of a loop's body. Source: Chaitin et al. 1981, aggressive coalescing.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterator, Mapping

from pcbatch import ir
from pcbatch.ir.analysis import effects, flow
from pcbatch.ir.analysis.liveness import Liveness, liveness
from pcbatch.passes.arrays_in_place import is_put
from pcbatch.passes.rewrite import is_move, map_functions, moves, rename, tidy_types

Pair = tuple[ir.Variable, ir.Variable]


def coalesce(program: ir.Program) -> ir.Program:
    """Join variables within every function.

    A parameter that its function never assigns stays so, because a recursion need not save it.
    """

    def change(function: ir.Function) -> ir.Function:
        live = liveness(flow.of_function(function))
        names = _Joiner(live, function.types, frozen=_unassigned(function)).names()
        return dataclasses.replace(
            function,
            blocks=tuple(_renamed(block, names) for block in function.blocks),
            params=tuple(names.get(name, name) for name in function.params),
        )

    return map_functions(program, change)


def coalesce_stack(program: ir.StackProgram) -> ir.StackProgram:
    """Join variables of the whole program; two that are both pushed stay apart.

    What is saved at one call is saved together, in one frame; joining two saved variables would
    tie the frames of two calls together.
    """
    live = liveness(flow.of_stack(program))
    names = _Joiner(live, program.types, outputs=program.outputs).names()
    return tidy_types(
        dataclasses.replace(
            program,
            blocks=tuple(_renamed(block, names) for block in program.blocks),
            inputs=tuple(names.get(name, name) for name in program.inputs),
            outputs=tuple(names.get(name, name) for name in program.outputs),
            tapes=frozenset(names.get(name, name) for name in program.tapes),
        )
    )


def _unassigned(function: ir.Function) -> frozenset[ir.Variable]:
    assigned = {
        name
        for block in function.blocks
        for operation in block.operations
        for name in effects.writes(operation)
    }
    return frozenset(function.params) - assigned


def _renamed(block: ir.Block, names: Mapping[str, str]) -> ir.Block:
    """Rename everything in the block; copies of a variable to itself disappear."""
    operations: list[ir.StackOperation | ir.Call] = []
    for operation in block.operations:
        changed = rename(operation, reads=names, writes=names)
        if is_move(changed):
            pairs = zip(changed.targets, changed.args, strict=True)
            operations += moves(pairs, changed.span)
        else:
            operations.append(changed)
    terminator = rename(block.terminator, reads=names, writes=names)
    return ir.Block(block.label, tuple(operations), terminator)


class _Joiner:
    """Finds the variables to join; each class keeps the name of its most telling member."""

    def __init__(
        self,
        live: Liveness,
        types: Mapping[ir.Variable, ir.TensorType],
        *,
        frozen: frozenset[ir.Variable] = frozenset(),
        outputs: tuple[ir.Variable, ...] = (),
    ):
        self._live = live
        self._types = types
        self._frozen = frozen
        self._members: dict[ir.Variable, list[ir.Variable]] = {name: [name] for name in types}
        self._root = {name: name for name in types}
        self._apart = _interference(live, outputs)
        instructions = [i for label in live.flow.blocks for i in live.flow.instructions(label)]
        self._saved = {i.variable for i in instructions if isinstance(i, ir.Push | ir.Pop)}
        self._addresses = {
            i.address for i in instructions if isinstance(i, ir.PushJump | ir.Return)
        }
        self._sources = _sources(live)

    def names(self) -> dict[ir.Variable, ir.Variable]:
        """Map every variable that loses its name to the one it is joined with."""
        for target, source in _copies(self._live, self._types):
            a, b = self._root[target], self._root[source]
            if a != b and self._may_join(a, b):
                self._join(a, b)
        mentions = _mentions(self._live.flow)
        names: dict[ir.Variable, ir.Variable] = {}
        for members in self._members.values():
            best = min(
                members,
                key=lambda name: (
                    _rank(name),
                    name not in self._live.flow.params,
                    -mentions[name],
                    name,
                ),
            )
            names.update({name: best for name in members if name != best})
        return names

    def _may_join(self, a: ir.Variable, b: ir.Variable) -> bool:
        together = {*self._members[a], *self._members[b]}
        if self._types[a] != self._types[b] or together & self._addresses:
            return False
        if all(self._saved.intersection(self._members[x]) for x in (a, b)):
            return False
        if together & self._frozen and any(
            self._sources.get(name, frozenset()) - together for name in together
        ):
            return False
        return not any(self._apart.get(name, frozenset()) & together for name in together)

    def _join(self, a: ir.Variable, b: ir.Variable) -> None:
        for name in self._members.pop(b):
            self._root[name] = a
            self._members[a].append(name)


def _rank(name: ir.Variable) -> int:
    """How little a name tells: the user's own and results first, the compiler's last."""
    marks = ("~", ".saved", "%")
    return max((i + 1 for i, mark in enumerate(marks) if mark in name), default=0)


def _mentions(graph: flow.Flow) -> collections.Counter[str]:
    """Count how often each name is read or assigned."""
    return collections.Counter(
        name
        for label in graph.blocks
        for instruction in graph.instructions(label)
        for name in (*effects.reads(instruction), *effects.writes(instruction))
    )


def _interference(
    live: Liveness, outputs: tuple[ir.Variable, ...]
) -> dict[ir.Variable, set[ir.Variable]]:
    """Find the pairs of variables one of which is assigned while the other's value matters.

    A copy makes no such pair with its own source: there the two are equal.
    """
    apart: dict[ir.Variable, set[ir.Variable]] = {}

    def separate(name: ir.Variable, others: frozenset[ir.Variable] | tuple[str, ...]) -> None:
        for other in others:
            if other != name:
                apart.setdefault(name, set()).add(other)
                apart.setdefault(other, set()).add(name)

    for name in live.flow.params:
        separate(name, live.flow.params)
        separate(name, live.at_start[live.flow.entry])
    for name in outputs:
        separate(name, outputs)
    for label in live.flow.blocks:
        for instruction, after in live.backward(label):
            targets = effects.writes(instruction)
            for i, target in enumerate(targets):
                same = {instruction.args[i]} if is_move(instruction) else frozenset()
                separate(target, after - same)
                separate(target, targets)
    return apart


def _sources(live: Liveness) -> dict[ir.Variable, frozenset[str]]:
    """What each variable is assigned from: copied variables, and itself for anything else."""
    sources: dict[ir.Variable, frozenset[str]] = {}
    for label in live.flow.blocks:
        for instruction in live.flow.instructions(label):
            for i, target in enumerate(effects.writes(instruction)):
                source = instruction.args[i] if is_move(instruction) else ""
                sources[target] = sources.get(target, frozenset()) | {source}
    return sources


def _copies(live: Liveness, types: Mapping[ir.Variable, ir.TensorType]) -> list[Pair]:
    """List the copies, those that save most first: bytes written to registers that survive."""
    weighed = sorted(_weighed(live, types), key=lambda entry: -entry[0])
    return [pair for _, pair in weighed]


def _weighed(
    live: Liveness, types: Mapping[ir.Variable, ir.TensorType]
) -> Iterator[tuple[int, Pair]]:
    for label in live.flow.blocks:
        made: set[ir.Variable] = set()
        for instruction in live.flow.instructions(label):
            if is_move(instruction):
                for target, source in zip(instruction.targets, instruction.args, strict=True):
                    if source in live.flow.variables:
                        stays = target in live.at_end[label]
                        free = source in made and source not in live.at_end[label]
                        size = math.prod(types[target].shape) if stays and not free else 0
                        yield size, (target, source)
            elif is_put(instruction) and instruction.args[0] in live.flow.variables:
                target, source = instruction.targets[0], instruction.args[0]
                yield math.prod(types[target].shape), (target, source)
            made.update(effects.writes(instruction))
