"""What operations do to arrays, and what is known of them at a place; see `shared_arrays`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from pcbatch.errors import Span
from pcbatch.infer.domain import BufferRef, Leaf, NewBuffer, Shared, Static, Tensor, Value
from pcbatch.semantics.sharing import static_array

Node = str
"""A leaf of a variable, `name|0`.

"?name" is a global array, "#name" a global tensor, "!name" what the caller has given.
"""
Pair = frozenset[Node]
Pairs = frozenset[Pair]
Sources = Mapping[Node, frozenset[Node]]

_NOTHING: Pairs = frozenset()


class SharingState(NamedTuple):
    """What is known at a place.

    Attributes:
      pairs: what may share memory.
      tensors: what is a tensor in plain Python, too, where `a += b` makes a new one.
    """

    pairs: Pairs
    tensors: frozenset[Node]

    def joined(self, other: SharingState) -> SharingState:
        """What is known where two paths meet."""
        return SharingState(self.pairs | other.pairs, self.tensors & other.tensors)

    def is_tensor(self, one: Node) -> bool:
        return one in self.tensors or one.startswith("#")


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


def global_nodes(variable: str, value: Value) -> tuple[Node, ...]:
    """The same of a variable that all functions have."""
    return nodes(f"?{variable}", value)


@dataclasses.dataclass(frozen=True)
class Step:
    """What an operation does.

    Attributes:
      span: of it.
      targets: the variables that it assigns.
      sources: of each leaf of its targets, what that may lie in.
      together: the leaves of targets that may lie in one another.
      kinds: of each leaf of its targets None if it is a tensor; else of what one has to be one.
      mixed: what refers to each other afterwards: lists, and what is put into them.
      changed: the leaves of arrays that are changed in place.
      live: the variables that may be read afterwards.
      callee: the function that is called, if one is.
      arguments: by parameter, what it is given.
      result: the leaves that take what it gives.
      rebinds: nested functions see what the step before has assigned.
      of_part: what is changed is a part of a container, which is given it anew.
    """

    span: Span
    targets: frozenset[str] = frozenset()
    sources: Sources = dataclasses.field(default_factory=dict)
    together: Pairs = _NOTHING
    kinds: Mapping[Node, frozenset[Node] | None] = dataclasses.field(default_factory=dict)
    mixed: frozenset[Node] = frozenset()
    changed: frozenset[Node] = frozenset()
    live: frozenset[str] = frozenset()
    callee: str = ""
    arguments: Mapping[str, tuple[Node, ...]] = dataclasses.field(default_factory=dict)
    result: tuple[Node, ...] = ()
    rebinds: bool = False
    of_part: bool = False


@dataclasses.dataclass
class Summary:
    """What a function does to arrays of its caller.

    Attributes:
      sources: of each leaf of the result, the parameters' leaves that it may lie in, or globals.
      together: the numbers of leaves of the result that may lie in one another.
      changes: the parameters' leaves that it changes.
      arrays: the parameters' leaves that may be NumPy's.
      results: the numbers of leaves of the result that may be.
      kept: the leaves of parameters, and globals, that lie in one another when it has ended.
    """

    sources: dict[int, set[Node]] = dataclasses.field(default_factory=dict)
    together: set[frozenset[int]] = dataclasses.field(default_factory=set)
    changes: set[Node] = dataclasses.field(default_factory=set)
    arrays: set[Node] = dataclasses.field(default_factory=set)
    results: set[int] = dataclasses.field(default_factory=set)
    kept: set[Pair] = dataclasses.field(default_factory=set)

    def size(self) -> int:
        own = (self.together, self.changes, self.arrays, self.results, self.kept)
        return sum(map(len, self.sources.values())) + sum(len(found) for found in own)
