"""Refuse to change an array in place where another name of it is read afterwards.

NumPy's `a += b` changes the array, and all who have it see that. Here a name is given a new value.
The two are the same unless something else that may lie in the array's memory is read later. Which
variables may do that at a place is a question of dataflow, asked when all types are known: a state
is a set of pairs of variables that may share memory. Calls are looked through: of each function is
found which of its parameters' arrays it changes, and which its result may lie in.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import BufferRef, Leaf, NewBuffer, Shared, Static, Tensor, Value
from pcbatch.sharing import static_array

if TYPE_CHECKING:
    from pcbatch.infer.instance import Instance, Place

Node = str
"""A leaf of a variable, `name|0`. "?name" is a global, "!name" what the caller has given."""
Pair = frozenset[Node]
State = frozenset[Pair]
Sources = Mapping[Node, frozenset[Node]]

_NOTHING: State = frozenset()


def node(variable: str, number: int) -> Node:
    return f"{variable}|{number}"


def variable_of(found: Node) -> str:
    return found.rpartition("|")[0]


def is_array(leaf: Leaf | NewBuffer) -> bool:
    """Whether a leaf is an array with axes, or a buffer of such."""
    match leaf:
        case Tensor(type_) | Shared(_, type_):
            return len(type_.shape) > 0
        case BufferRef(type_) | NewBuffer(type_):
            return len(type_.element.shape) > 0
        case Static(value):
            return static_array(value) is not None
    return False


def nodes(variable: str, value: Value) -> tuple[Node, ...]:
    """The leaves of a variable; "" for one that is no array."""
    pairs = enumerate(value.leaves)
    return tuple(node(variable, k) if is_array(leaf) else "" for k, leaf in pairs)


@dataclasses.dataclass(frozen=True)
class Step:
    """What an operation does.

    Attributes:
      span: of it.
      targets: the variables that it assigns.
      sources: of each leaf of its targets, what that may lie in.
      together: the leaves of targets that may lie in one another.
      mixed: what refers to each other afterwards: lists, and what is put into them.
      changed: the leaves of arrays that are changed in place.
      live: the variables that may be read afterwards.
      callee: the function that is called, if one is.
      arguments: by parameter, what it is given.
      result: the leaves that take what it gives.
      rebinds: nested functions see what the step before has assigned.
    """

    span: Span
    targets: frozenset[str] = frozenset()
    sources: Sources = dataclasses.field(default_factory=dict)
    together: State = _NOTHING
    mixed: frozenset[Node] = frozenset()
    changed: frozenset[Node] = frozenset()
    live: frozenset[str] = frozenset()
    callee: str = ""
    arguments: Mapping[str, tuple[Node, ...]] = dataclasses.field(default_factory=dict)
    result: tuple[Node, ...] = ()
    rebinds: bool = False


@dataclasses.dataclass
class Summary:
    """What a function does to arrays of its caller.

    Attributes:
      sources: of each leaf of the result, the parameters' leaves that it may lie in, or globals.
      together: the numbers of leaves of the result that may lie in one another.
      changes: the parameters' leaves that it changes.
    """

    sources: dict[int, set[Node]] = dataclasses.field(default_factory=dict)
    together: set[frozenset[int]] = dataclasses.field(default_factory=set)
    changes: set[Node] = dataclasses.field(default_factory=set)

    def size(self) -> int:
        return sum(map(len, self.sources.values())) + len(self.together) + len(self.changes)


Key = tuple[str, "Place"]


class SharedArrays:
    """The steps of a program, by specialization and block, as they are written down."""

    def __init__(self) -> None:
        self.steps: dict[Key, list[Step]] = {}
        self.successors: dict[Key, list[Place]] = {}
        self.returned: dict[Key, tuple[Node, ...]] = {}
        self._summaries: dict[str, Summary] = {}

    def add(self, instance: Instance, place: Place, step: Step) -> None:
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
        states: dict[str, dict[Place, State]] = {}
        size = -1
        while size != (size := sum(s.size() for s in self._summaries.values())):
            for instance in known:
                states[instance.name] = self._states(instance)
        for instance in known:
            for place, state in states[instance.name].items():
                self._check(instance, place, state)

    def _states(self, instance: Instance) -> dict[Place, State]:
        """What shares memory at the beginning of each block; notes what the function does."""
        given = (nodes(p, value) for p, value in instance.params.items())
        start = frozenset(frozenset((n, "!" + n)) for ns in given for n in ns if n)
        found: dict[Place, State] = {instance.entry: start}
        waiting = [instance.entry]
        while waiting:
            place = waiting.pop()
            state = self._through(instance, place, found[place])
            for after in self.successors[instance.name, place]:
                joined = found.get(after, _NOTHING) | state
                if after not in found or joined != found[after]:
                    found[after] = joined
                    waiting.append(after)
        return found

    def _through(self, instance: Instance, place: Place, state: State) -> State:
        summary = self._summaries[instance.name]
        for step in self.steps.get((instance.name, place), ()):
            for one in self._changed(step):
                summary.changes |= {x[1:] for x in _sharing(state, one) if x.startswith("!")}
            state = self._after(step, state)
        result = self.returned.get((instance.name, place), ())
        for k, one in enumerate(result):
            outside = {x for x in _sharing(state, one) if x[:1] in ("!", "?")}
            summary.sources.setdefault(k, set()).update(outside)
        for i, j in itertools.combinations(range(len(result)), 2):
            if result[i] and result[j] and result[j] in _sharing(state, result[i]):
                summary.together.add(frozenset((i, j)))
        return state

    def _changed(self, step: Step) -> Iterator[Node]:
        """The arrays that an operation changes, in what it calls, too."""
        yield from step.changed
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

    def _of_call(self, step: Step) -> tuple[Sources, State]:
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

    def _after(self, step: Step, state: State) -> State:
        sources, together = step.sources, step.together
        if step.callee:
            sources, together = self._of_call(step)
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

    def _check(self, instance: Instance, place: Place, state: State) -> None:
        steps = self.steps.get((instance.name, place), [])
        for number, step in enumerate(steps):
            for one in self._changed(step):
                if step.callee:
                    self._check_arguments(step, one, state)
                old = {x for x in _sharing(state, one) if variable_of(x) not in step.targets}
                for later in itertools.takewhile(lambda s: s.rebinds, steps[number + 1 :]):
                    fresh = {t for t, found in later.sources.items() if not found & old}
                    old = (old - fresh) | {t for t, s in later.sources.items() if s & old}
                seen = sorted(x for x in old if x[0] == "?" or variable_of(x) in step.live)
                if seen:
                    raise _refused(step, one, variable_of(seen[0]))
            state = self._after(step, state)

    def _check_arguments(self, step: Step, one: Node, state: State) -> None:
        """Refuse a call that changes an array which it is given twice."""
        given = [x for found in step.arguments.values() for x in found if x]
        sharing = _sharing(state, one)
        if sum(x in sharing for x in given) > 1:
            others = [x for x in given if x in sharing and x != one]
            raise _refused(step, one, variable_of((others or [one])[0]))


def _refused(step: Step, one: Node, other: str) -> ProgramError:
    own = variable_of(one) in step.targets
    kind = report.ChangedInPlace if own else report.ChangedByCall
    return ProgramError(kind(step.span, _shown(variable_of(one)), _shown(other)))


def _shown(variable: str) -> str:
    """What a variable is called in a message."""
    return "an expression" if variable.startswith("%") else f"`{variable.lstrip('?')}`"


def _partners(state: State, one: Node) -> frozenset[Node]:
    return frozenset(x for pair in state if one in pair for x in pair if x != one)


def _sharing(state: State, one: Node) -> frozenset[Node]:
    """What may share memory with something, itself among it."""
    return _partners(state, one) | {one} if one else frozenset()


def _pairs(found: Iterable[Node]) -> State:
    return frozenset(map(frozenset, itertools.combinations(sorted(set(found)), 2)))
