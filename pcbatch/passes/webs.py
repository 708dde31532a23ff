"""Split variables into webs: the parts of a variable that have nothing to do with each other.

Two assignments belong to one web where some read may see either. A user's name that is used for two
things, or a variable before and after a call that saved it, becomes two variables, each with a life
of its own; `coalesce` can then join each with what it is copied from. Source: Chaitin et al. 1981.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pcbatch import ir
from pcbatch.ir.analysis import dataflow, effects, flow
from pcbatch.passes.rewrite import Names, map_functions, rename, tidy_types

Definition = tuple[ir.Label, int, ir.Variable]
"""An assignment: block, position of the instruction (-1: at the entry), variable."""

Reaching = dict[ir.Variable, frozenset[Definition]]


def split_webs(program: ir.Program) -> ir.Program:
    """Split the variables of every function."""

    def change(function: ir.Function) -> ir.Function:
        taken = (*function.types, *program.shared, *program.buffers)
        webs = _Webs(flow.of_function(function), frozenset(), Names(taken))
        return dataclasses.replace(
            function,
            blocks=tuple(webs.rewritten(block) for block in function.blocks),
            params=tuple(webs.at_entry(name) for name in function.params),
            types=webs.types(function.types),
        )

    return map_functions(program, change)


def split_stack_webs(program: ir.StackProgram) -> ir.StackProgram:
    """Split the variables of the program, return addresses excepted.

    All pushes and pops of one variable stay with one variable.
    """
    addresses = frozenset(
        block.terminator.address
        for block in program.blocks
        if isinstance(block.terminator, ir.PushJump | ir.Return) and block.terminator.address
    )
    taken = (*program.types, *program.shared, *program.buffers)
    webs = _Webs(flow.of_stack(program), addresses, Names(taken))
    return tidy_types(
        dataclasses.replace(
            program,
            blocks=tuple(webs.rewritten(block) for block in program.blocks),
            inputs=tuple(webs.at_entry(name) for name in program.inputs),
            outputs=tuple(webs.at_exit(name) for name in program.outputs),
            types=webs.types(program.types),
            tapes=frozenset(map(webs.of_stack, program.tapes)),
        )
    )


class _Webs:
    """The webs of one flow graph, and the names they get: the first one keeps the variable's."""

    def __init__(self, graph: flow.Flow, whole: frozenset[ir.Variable], names: Names):
        self._graph = graph
        self._whole = whole
        self._parent: dict[Definition, Definition] = {}
        self._exits: dict[ir.Variable, Definition] = {}
        self._reaching = reaching(graph)
        for name in graph.params:
            start = (graph.entry, -1, name)
            self._parent[start] = start
            if name in whole:
                self._tie(name, frozenset((start,)))
        for label in graph.blocks:
            self._join_block(label)
        self._name = self._choose(names)

    def rewritten(self, block: ir.Block) -> ir.Block:
        """The block with the new names."""
        reaching = dict(self._reaching.get(block.label, {}))
        changed: list[Any] = []
        for position, instruction in enumerate(self._graph.instructions(block.label)):
            reads = {
                name: self._name[self._find(min(reaching[name]))]
                for name in self._graph.reads(instruction)
                if reaching.get(name)
            }
            made = {name: (block.label, position, name) for name in effects.writes(instruction)}
            writes = {name: self._name[self._find(made[name])] for name in made}
            changed.append(rename(instruction, reads=reads, writes=writes))
            reaching.update((name, frozenset((made[name],))) for name in made)
        return ir.Block(block.label, tuple(changed[:-1]), changed[-1])

    def at_entry(self, name: ir.Variable) -> ir.Variable:
        """The new name of a variable's value at the entry."""
        return self._name[self._find((self._graph.entry, -1, name))]

    def at_exit(self, name: ir.Variable) -> ir.Variable:
        """The new name of a variable's value where the program returns."""
        return self._name[self._find(self._exits[name])] if name in self._exits else name

    def of_stack(self, name: ir.Variable) -> ir.Variable:
        """The new name of a variable that is pushed and popped."""
        return self._name[self._find(("", 0, name))] if ("", 0, name) in self._parent else name

    def types(self, old: Mapping[ir.Variable, ir.TensorType]) -> dict[ir.Variable, ir.TensorType]:
        """The types of all webs; each has its variable's."""
        return dict(old) | {self._name[web]: old[web[2]] for web in self._name}

    def _find(self, definition: Definition) -> Definition:
        parent = self._parent
        while parent[definition] != definition:
            parent[definition] = parent[parent[definition]]
            definition = parent[definition]
        return definition

    def _join(self, definitions: frozenset[Definition]) -> None:
        """Put all of them into the web of whichever is known longest; they share the variable."""
        roots = [self._find(d) for d in sorted(definitions)]
        for root in roots[1:]:
            self._parent[root] = self._find(roots[0])

    def _join_block(self, label: ir.Label) -> None:
        # In order: of the webs of a variable the first one seen keeps its name.
        for definitions in self._reaching.get(label, {}).values():
            for definition in sorted(definitions):
                self._parent.setdefault(definition, definition)
        reaching = dict(self._reaching.get(label, {}))
        for position, instruction in enumerate(self._graph.instructions(label)):
            for name in self._graph.reads(instruction):
                self._join(reaching.get(name, frozenset()))
                if isinstance(instruction, ir.Push):
                    self._tie(name, reaching.get(name, frozenset()))
            for name in effects.writes(instruction):
                made = (label, position, name)
                self._parent.setdefault(made, made)
                if isinstance(instruction, ir.Pop) or name in self._whole:
                    self._tie(name, frozenset((made,)))
                reaching[name] = frozenset((made,))
        for name in self._graph.results.get(label, ()):
            found = reaching.get(name, frozenset())
            self._join(found | ({self._exits[name]} if name in self._exits else frozenset()))
            self._exits.setdefault(name, min(found))

    def _tie(self, name: ir.Variable, definitions: frozenset[Definition]) -> None:
        """Keep all pushes and pops of a variable, or all of a whole variable, in one web."""
        anchor = ("", 0, name)
        self._parent.setdefault(anchor, anchor)
        self._join(definitions | {anchor})

    def _choose(self, names: Names) -> dict[Definition, ir.Variable]:
        chosen: dict[Definition, ir.Variable] = {}
        used: set[ir.Variable] = set()
        for definition in self._parent:
            root, name = self._find(definition), definition[2]
            if root not in chosen:
                chosen[root] = names.fresh(name) if name in used else name
                used.add(name)
        return chosen


def reaching(graph: flow.Flow) -> Mapping[ir.Label, Reaching]:
    """Find the assignments that each variable may come from that is read later, for each block.

    In a long program of calls most variables are those of other functions, so that only what is
    read later is gone into.
    """
    made = {label: _assigned(graph, label) for label in graph.blocks}
    later = _read_later(graph)

    def transfer(label: ir.Label, state: Reaching) -> Reaching:
        after = later.at_end[label]
        return {name: found for name, found in (state | made[label]).items() if name in after}

    def join(a: Reaching, b: Reaching) -> Reaching:
        both = dict(a)
        for name, found in b.items():
            known = both.setdefault(name, found)
            if known is not found and not found <= known:
                both[name] = known | found
        return both

    start = {name: frozenset(((graph.entry, -1, name),)) for name in graph.params}
    states = dataflow.solve(
        graph,
        direction="forward",
        border=lambda label: start if label == graph.entry else None,
        transfer=transfer,
        join=join,
    ).at_start
    return {
        label: {name: found for name, found in state.items() if name in later.at_start[label]}
        for label, state in states.items()
    }


def _assigned(graph: flow.Flow, label: ir.Label) -> dict[ir.Variable, frozenset[Definition]]:
    """The last assignment of each variable that a block assigns."""
    return {
        name: frozenset(((label, position, name),))
        for position, instruction in enumerate(graph.instructions(label))
        for name in effects.writes(instruction)
    }


def _read_later(graph: flow.Flow) -> dataflow.Solution[frozenset[ir.Variable]]:
    """The variables that some instruction reads later, whether or not its result matters."""
    reads, writes = dict[ir.Label, frozenset[str]](), dict[ir.Label, frozenset[str]]()
    for label in graph.blocks:
        first, assigned = set[str](), set[str]()
        for instruction in graph.instructions(label):
            first.update(name for name in graph.reads(instruction) if name not in assigned)
            assigned.update(effects.writes(instruction))
        first.update(name for name in graph.results.get(label, ()) if name not in assigned)
        reads[label], writes[label] = frozenset(first), frozenset(assigned)
    return dataflow.solve(
        graph,
        direction="backward",
        border=lambda _: frozenset(),
        transfer=lambda label, after: reads[label] | (after - writes[label]),
        join=frozenset.union,
    )
