"""Refuse to change an array in place where another name of it is read afterwards.

NumPy's `a += b` changes the array, and all names of it see that. Here a name is given a new value.
The two are the same unless something else that may lie in the array's memory is read later. Which
variables may do that at a place is a question of dataflow, asked when all types are known: a state
is a set of pairs of variables that may share memory. Calls are looked through: of each function is
found which of its parameters' arrays it changes, and which its result may lie in.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pcbatch.errors import ProgramError
from pcbatch.infer import diagnostics as report
from pcbatch.infer.array_steps import (
    Node,
    Pairs,
    SharingState,
    Sources,
    Step,
    Summary,
    node,
    nodes,
    variable_of,
)

if TYPE_CHECKING:
    from pcbatch.infer.instance import Instance, UnrolledBlock

Key = tuple[str, "UnrolledBlock"]


class SharedArrays:
    """The steps of a program, by specialization and block, as they are written down."""

    def __init__(self) -> None:
        self.steps: dict[Key, list[Step]] = {}
        self.successors: dict[Key, list[UnrolledBlock]] = {}
        self.returned: dict[Key, tuple[Node, ...]] = {}
        self._edges: dict[tuple[Key, UnrolledBlock], list[Step]] = {}
        self._summaries: dict[str, Summary] = {}

    def add_edge(
        self, instance: Instance, place: UnrolledBlock, after: UnrolledBlock, step: Step
    ) -> None:
        """Note what variables are on one of the edges from a block to another one."""
        self._edges.setdefault(((instance.name, place), after), []).append(step)

    def add(self, instance: Instance, place: UnrolledBlock, step: Step) -> None:
        self.steps.setdefault((instance.name, place), []).append(step)

    def check(self, instances: Iterable[Instance]) -> None:
        """Refuse a change that another name would have to see.

        Raises:
          ProgramError: there is one.
        """
        if not any(step.changed for steps in self.steps.values() for step in steps):
            return
        written = {name for name, _ in self.successors}
        known = [i for i in instances if i.name in written]
        self._summaries = {i.name: Summary() for i in known}
        self._summaries[known[0].name].arrays |= set(_given(known[0]))
        states: dict[str, dict[UnrolledBlock, SharingState]] = {}
        size = -1
        while size != (size := sum(s.size() for s in self._summaries.values())):
            for instance in known:
                states[instance.name] = self._states(instance)
        for instance in known:
            for place, state in states[instance.name].items():
                self._check(instance, place, state)

    def _states(self, instance: Instance) -> dict[UnrolledBlock, SharingState]:
        """What shares memory at the beginning of each block; notes what the function does."""
        given = list(_given(instance))
        outside = frozenset(frozenset((n, "!" + n)) for n in given)
        arrays = self._summaries[instance.name].arrays
        start = SharingState(outside, frozenset(given).difference(arrays))
        found: dict[UnrolledBlock, SharingState] = {instance.entry: start}
        waiting = [instance.entry]
        while waiting:
            place = waiting.pop()
            state = self._through(instance, place, found[place])
            for after in self.successors[instance.name, place]:
                arriving = self._along(instance, place, after, state)
                joined = found[after].joined(arriving) if after in found else arriving
                if after not in found or joined != found[after]:
                    found[after] = joined
                    waiting.append(after)
        return found

    def _along(
        self, instance: Instance, place: UnrolledBlock, after: UnrolledBlock, state: SharingState
    ) -> SharingState:
        """What is known behind the edges from a block to another one."""
        steps = self._edges[(instance.name, place), after]
        return functools.reduce(SharingState.joined, (self._after(x, state) for x in steps))

    def _through(
        self, instance: Instance, place: UnrolledBlock, state: SharingState
    ) -> SharingState:
        summary = self._summaries[instance.name]
        for step in self.steps.get((instance.name, place), ()):
            for one in self._changed(step, state):
                summary.changes |= {x[1:] for x in _sharing(state.pairs, one) if x.startswith("!")}
            if step.callee:
                self._note_arguments(step, state)
            state = self._after(step, state)
        summary.kept |= {p for p in state.pairs if all(x[:1] in ("!", "?") for x in p)}
        result = self.returned.get((instance.name, place), ())
        for k, one in enumerate(result):
            outside = {x for x in _sharing(state.pairs, one) if x[:1] in ("!", "?")}
            summary.sources.setdefault(k, set()).update(outside)
            if one and not state.is_tensor(one):
                summary.results.add(k)
        for i, j in itertools.combinations(range(len(result)), 2):
            if result[i] and result[j] and result[j] in _sharing(state.pairs, result[i]):
                summary.together.add(frozenset((i, j)))
        return state

    def _note_arguments(self, step: Step, state: SharingState) -> None:
        """Note which parameters of a function are given arrays of NumPy's."""
        for name, given in step.arguments.items():
            for k, one in enumerate(given):
                if one and not state.is_tensor(one):
                    self._summaries[step.callee].arrays.add(node(name, k))

    def _changed(self, step: Step, state: SharingState) -> Iterator[Node]:
        """The arrays that an operation changes, in what it calls, too."""
        yield from (one for one in step.changed if not state.is_tensor(one))
        if step.callee:
            for change in self._summaries[step.callee].changes:
                yield from self._given(step, change)

    def _given(self, step: Step, parameter: Node) -> Iterator[Node]:
        """What is given for a leaf of a parameter; a global is itself."""
        if parameter.startswith("?"):
            yield parameter
            return
        name, _, number = parameter.rpartition("|")
        given = step.arguments.get(name, ())
        if int(number) < len(given) and given[int(number)]:
            yield given[int(number)]

    def _of_call(self, step: Step) -> tuple[Sources, Pairs]:
        """What the results of a call lie in, and which lie in one another."""
        summary = self._summaries[step.callee]
        sources = {
            one: frozenset(
                x for outer in summary.sources.get(k, ())
                for x in self._given(step, outer.removeprefix("!"))
            )
            for k, one in enumerate(step.result) if one
        }  # fmt: skip
        together = (
            frozenset(step.result[k] for k in pair if k < len(step.result))
            for pair in summary.together
        )
        return sources, frozenset(pair for pair in together if len(pair) == 2 and all(pair))

    def _tensors(self, step: Step, state: SharingState) -> frozenset[Node]:
        """What is a tensor after a step."""
        kept = {one for one in state.tensors if variable_of(one) not in step.targets}
        if step.callee:
            arrays = self._summaries[step.callee].results
            kept |= {one for k, one in enumerate(step.result) if one and k not in arrays}
        for target, needed in step.kinds.items():
            if needed is None or any(map(state.is_tensor, needed)):
                kept.add(target)
        return frozenset(kept)

    def _after(self, step: Step, state: SharingState) -> SharingState:
        return SharingState(self._pairs(step, state.pairs), self._tensors(step, state))

    def _pairs(self, step: Step, state: Pairs) -> Pairs:
        sources, together = step.sources, step.together
        if step.callee:
            sources, together = self._of_call(step)
        for pair in self._summaries[step.callee].kept if step.callee else ():
            ends = [list(self._given(step, x.removeprefix("!"))) for x in sorted(pair)]
            for mine, theirs in itertools.product(*ends):
                state |= _pairs((*_sharing(state, mine), *_sharing(state, theirs)))
        if step.mixed:
            state |= _pairs(x for one in step.mixed for x in _sharing(state, one))
        if not step.targets:
            return state
        near = {
            target: frozenset(x for s in found for x in _sharing(state, s))
            for target, found in sources.items()
        }
        kept = {p for p in state if not any(variable_of(x) in step.targets for x in p)}
        for target, found in near.items():
            outside = (x for x in found if variable_of(x) not in step.targets)
            kept |= {frozenset((target, x)) for x in outside}
        for (one, a), (other, b) in itertools.combinations(sources.items(), 2):
            if any(_sharing(state, x) & b for x in a if x not in b):
                kept.add(frozenset((one, other)))
        return frozenset(kept | together)

    # --- The check -------------------------------------------------------------------------

    def _check(self, instance: Instance, place: UnrolledBlock, state: SharingState) -> None:
        steps = self.steps.get((instance.name, place), [])
        for number, step in enumerate(steps):
            places = _places(steps[:number], step, state.pairs) if step.of_part else frozenset()
            for one in (x for x in self._changed(step, state) if x not in places):
                if step.callee:
                    self._check_arguments(step, one, state.pairs)
                old = {x for x in _sharing(state.pairs, one) if variable_of(x) not in step.targets}
                old -= places
                for later in itertools.takewhile(lambda s: s.rebinds, steps[number + 1 :]):
                    fresh = {t for t, found in later.sources.items() if not found & old}
                    old = (old - fresh) | {t for t, s in later.sources.items() if s & old}
                seen = sorted(x for x in old if x[0] == "?" or variable_of(x) in step.live)
                if seen:
                    raise _refused(step, one, variable_of(seen[0]))
            state = self._after(step, state)

    def _check_arguments(self, step: Step, one: Node, state: Pairs) -> None:
        """Refuse a call that changes an array which it is given twice."""
        given = [x for found in step.arguments.values() for x in found if x]
        sharing = _sharing(state, one)
        if sum(x in sharing for x in given) > 1:
            others = [x for x in given if x in sharing and x != one]
            raise _refused(step, one, variable_of((others or [one])[0]))


def _places(before: list[Step], step: Step, state: Pairs) -> frozenset[Node]:
    """Where a container has a part that is changed; nothing where it may have it twice."""
    read = next((s for s in reversed(before) if s.targets == step.targets), None)
    sources = read.sources.values() if read is not None else ()
    found = frozenset[Node]().union(*sources)
    return frozenset() if any(pair <= found for pair in state) else found


def _refused(step: Step, one: Node, other: str) -> ProgramError:
    own = variable_of(one) in step.targets
    kind = report.ChangedInPlace if own else report.ChangedByCall
    return ProgramError(kind(step.span, _shown(variable_of(one)), _shown(other)))


def _shown(variable: str) -> str:
    """What a variable is called in a message."""
    if variable.startswith("?%"):  # of the heap
        _, kind, attribute = variable.rsplit(".", 2)
        return f"the attribute `{attribute}` of a `{kind}`"
    return "an expression" if variable.startswith("%") else f"`{variable.lstrip('?')}`"


def _given(instance: Instance) -> Iterator[Node]:
    """The leaves of a function's parameters that are arrays."""
    for name, value in instance.params.items():
        yield from filter(None, nodes(name, value))


def _partners(state: Pairs, one: Node) -> frozenset[Node]:
    return frozenset(x for pair in state if one in pair for x in pair if x != one)


def _sharing(state: Pairs, one: Node) -> frozenset[Node]:
    """What may share memory with something, itself among it."""
    return _partners(state, one) | {one} if one else frozenset()


def _pairs(found: Iterable[Node]) -> Pairs:
    return frozenset(map(frozenset, itertools.combinations(sorted(set(found)), 2)))
