"""Which classes have their objects on the heap, and what is known of their attributes.

See `semantics.references`. An object is a structure of variables, as long as the program types that
way. Where it does not, inference begins again with the objects of some classes on the heap: first
of those that lead to objects of their own class, then of all that the program makes.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.infer.domain import Leaf, Static, Value, is_number
from pcbatch.infer.kinds import is_object
from pcbatch.infer.likes import element_like
from pcbatch.infer.list_plans import Replan
from pcbatch.infer.provenance import has_lists
from pcbatch.infer.unions import beside, merged, met
from pcbatch.semantics import pytree, references
from pcbatch.semantics.chosen_objects import ObjectsDiffer
from pcbatch.semantics.lists import Changing, Like, Making, MemberList, Roomier
from pcbatch.semantics.lists.fresh import Fresh
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.plain_classes import is_plain
from pcbatch.semantics.pytree import Tree
from pcbatch.semantics.references import Attribute, can_be_referred_to, is_reference_tree
from pcbatch.semantics.tagged_unions import members_of

HEAP = "heap"
"""The block that the entry function begins with if there are objects on the heap."""
COUNT = "%count"
"""Stands for an attribute of objects that are all alike, so that they can be counted."""


@dataclasses.dataclass
class Heap:
    """The objects on the heap of a program.

    Attributes:
      kinds: their classes.
      unions: the tagged unions among them.
      met: classes whose objects are beside each other in a variable, or a list.
      made: the classes of the objects that the program makes.
      nested: those of them whose objects lead to others of the class.
      held: those of them whose objects are put into a container that does not take them.
      first: the classes whose objects are on the heap before they are initialized, as `__init__`
        hands them on.
      alike: what all objects of a class have as an attribute.
      listed: the attributes whose values are in lists.
      likes: the types of these values, as far as known.
      read: the attributes that a primitive's function reads.
      gone_over: the attributes that a loop of a kept generator reads anew in each round, and what
        the generator is called.
      replaced: the attributes of objects that have been made which the program assigns.
      present: the attributes that the objects of a class of a union have.
      values: the lists, by the name of the variable that has one.
    """

    kinds: frozenset[type] = frozenset()
    unions: tuple[type, ...] = ()
    met: list[set[type]] = dataclasses.field(default_factory=list)
    made: set[type] = dataclasses.field(default_factory=set)
    nested: set[type] = dataclasses.field(default_factory=set)
    held: set[type] = dataclasses.field(default_factory=set)
    first: set[type] = dataclasses.field(default_factory=set)
    alike: dict[Attribute, Leaf] = dataclasses.field(default_factory=dict)
    listed: dict[Attribute, str] = dataclasses.field(default_factory=dict)
    likes: dict[Attribute, Like] = dataclasses.field(default_factory=dict)
    read: dict[Any, tuple[Attribute, ...]] = dataclasses.field(default_factory=dict)
    gone_over: dict[Attribute, str] = dataclasses.field(default_factory=dict)
    replaced: set[Attribute] = dataclasses.field(default_factory=set)
    present: dict[type, frozenset[str]] = dataclasses.field(default_factory=dict)
    values: dict[str, Value] = dataclasses.field(default_factory=dict)

    @property
    def state(self) -> tuple[int, ...]:
        """Tells apart what has been known of attributes: they become known, and then have lists."""
        return len(self.alike), len(self.listed), *map(len, self.present.values())

    def on(self, kinds: Iterable[type]) -> Heap:
        """A heap for another run of inference, on which there are objects of some classes."""
        members = (member for union in self.unions for member in members_of(union))
        return Heap(frozenset((*kinds, *self.unions, *members)), self.unions)

    def united(self) -> Heap | None:
        """The same with unions of all classes that have met; None where there are no others."""
        unions = merged((*map(members_of, self.unions), *self.met))
        if set(unions) == set(self.unions):
            return None
        kinds = self.kinds.difference(self.unions)
        return Heap(unions=tuple(unions)).on(kinds)

    def union_of(self, kind: Any) -> type | None:
        """The union that a class is a member of."""
        return next((union for union in self.unions if kind in members_of(union)), None)

    def note_met(self, a: Tree, b: Tree) -> None:
        """Take note of objects of two classes that stand at one place of two structures."""
        self.met += met(a, b)

    def note_chosen(self, failures: Iterable[ProgramError]) -> None:
        """Take note of objects of several classes of which a member chooses, or has lists."""
        causes = (cause for failure in failures for cause in _causes(failure))
        groups = (cause.classes for cause in causes if isinstance(cause, ObjectsDiffer))
        self.met += (set(beside(group)) for group in groups if len(set(beside(group))) > 1)

    def note_present(self, kind: type, names: frozenset[str]) -> None:
        """Take note of the attributes that the objects of a class of a union have.

        Raises:
          Replan: they have not been known.
        """
        if self.present.get(kind) != names:
            self.present[kind] = names
            raise Replan

    def having(self, kind: Any, name: str) -> list[type]:
        """The classes of a union whose objects have an attribute."""
        return [one for one in members_of(kind) if name in self.present.get(one, ())]

    def seen_by(self, function: Any) -> tuple[int, ...] | None:
        """Which heap a primitive's function reads from, and its state; None: from none.

        The function has the heap, so that no other one gets its number.
        """
        while isinstance(function, (Making, Roomier)):
            function = function.function
        reads = isinstance(function, (OnHeap, ChangingOnHeap))
        return (id(self), *self.state) if reads else None

    def begin(self) -> None:
        """Forget the lists of another run of inference."""
        self.values = {}

    def note_made(self, values: Iterable[Value]) -> None:
        """Take note of the objects in some values."""
        for value in values:
            for node in pytree.nodes(value.tree):
                if is_object(node) and can_be_referred_to(node.type):
                    self.made.add(node.type)

    def note_end(self, tree: Tree) -> None:
        """Take note of objects with one of their class inside."""
        for node in pytree.nodes(tree):
            inner = (x.type for child in node.children for x in pytree.nodes(child))
            if node.type in self.made and node.type in inner:
                self.nested.add(node.type)

    def note_held(self, values: Iterable[Value]) -> None:
        """Take note of the objects in values that a container does not take."""
        nodes = (node for value in values for node in pytree.nodes(value.tree))
        self.held |= self.made.intersection(node.type for node in nodes)

    def wider(self) -> frozenset[type]:
        """The classes whose objects could be on the heap where the program does not type."""
        new = self.nested - self.kinds or self.held - self.kinds
        return self.kinds | frozenset(new or self.made)

    def note_handed_on(self, value: Value) -> None:
        """Take note of objects that are handed on before they are on the heap.

        Raises:
          Replan: they can be there before.
        """
        found = {x.type for x in pytree.nodes(value.tree) if is_object(x) and x.type in self.kinds}
        if found - self.first and all(map(is_plain, found)):
            self.first |= found
            raise Replan

    def knows(self, kind: type, name: str) -> bool:
        """Whether the objects of a class have an attribute."""
        return (kind, name) in self.listed or (kind, name) in self.alike

    def note(self, kind: type, values: Mapping[str, Value]) -> None:
        """Take note of what an object has as attributes.

        Raises:
          Replan: others have been found to be alike in one of them.
        """
        new = {name: value for name, value in values.items() if not self._fits(kind, name, value)}
        for name, value in new.items():
            self.alike.pop((kind, name), None)
            self.listed[kind, name] = self._variable(kind, name)
            like = element_like(value)
            if like is not None and like.dtypes and not has_lists(value):
                self.likes[kind, name] = like
        if new:
            raise Replan

    def _variable(self, kind: type, name: str) -> str:
        """What the list of an attribute is called; two classes may have one name."""
        others = (of for of, _ in self.listed if of.__name__ == kind.__name__)
        number = [*dict.fromkeys((*others, kind))].index(kind)
        return f"%{HEAP}.{kind.__name__}{f'~{number + 1}' if number else ''}.{name}"

    def _fits(self, kind: type, name: str, value: Value) -> bool:
        """Whether an attribute is in a list, or is the same of all objects."""
        key, leaf = (kind, name), value.leaf
        if key in self.listed:
            return True
        return leaf is not None and _is_constant(leaf) and self.alike.setdefault(key, leaf) == leaf

    def run(
        self,
        function: Callable[..., tuple[Any, ...]],
        attributes: tuple[Attribute, ...],
        values: tuple[Any, ...],
    ) -> tuple[Any, ...]:
        """Call a function; the last values are the lists of some attributes that it may read."""
        count = len(values) - len(attributes)
        lists = dict(zip(attributes, values[count:], strict=True))
        alike = {k: x.value for k, x in self.alike.items() if isinstance(x, Static)}
        others = frozenset(self.listed).difference(lists)
        with references.on(references.HeapView(lists, alike, others, self.present)):
            return function(*values[:count])

    def attributes(self, kind: type) -> dict[str, str]:
        """The attributes of a class that are in lists, and the variables with these."""
        return {name: variable for (of, name), variable in self.listed.items() if of is kind}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it comes from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__


def _is_constant(leaf: Leaf) -> bool:
    """Whether a value is an object of Python's that does not change, and no number."""
    if not isinstance(leaf, Static) or is_number(leaf):
        return False
    return not isinstance(leaf.value, (list, dict, set, collections.deque))


def refers(tree: Tree) -> bool:
    """Whether there is a reference in a structure."""
    return any(map(is_reference_tree, pytree.nodes(tree)))


def stands_for(tree: Tree) -> bool:
    """Whether a structure is that of a reference to a set, or a dict, on the heap."""
    return isinstance(tree, pytree.Node) and tree.type in Meanings.contents


@dataclasses.dataclass(frozen=True)
class Empty:
    """The primitive that makes the list of an attribute."""

    @property
    def makes(self) -> Fresh:
        return Fresh(False, ((0, Fresh(True)),))

    def __call__(self) -> tuple[list[Any]]:
        return ([],)


def with_heap(source: ir.Function, heap: Heap) -> ir.Function:
    """The entry function, which makes the lists of the heap first."""
    if not heap.listed:
        return source
    operations = tuple(
        ir.Primitive((name,), Empty(), (), "[]", source.span) for name in heap.listed.values()
    )
    block = ir.Block(HEAP, operations, ir.Jump(source.blocks[0].label, source.span))
    return dataclasses.replace(source, blocks=(block, *source.blocks))


@dataclasses.dataclass(frozen=True)
class OnHeap:
    """A primitive's function that reads attributes of objects on the heap.

    Attributes:
      function: it.
      attributes: whose lists are the last arguments.
      heap: what else is there.
    """

    function: Callable[..., tuple[Any, ...]]
    attributes: tuple[Attribute, ...]
    heap: Heap = dataclasses.field(compare=False, repr=False)

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        return self.heap.run(self.function, self.attributes, values)

    def __getattr__(self, name: str) -> Any:
        """What is said of the function."""
        return getattr(self.function, name)


@dataclasses.dataclass(frozen=True)
class ChangingOnHeap(Changing):
    """A change of a list that reads attributes of objects on the heap, see `OnHeap`."""

    attributes: tuple[Attribute, ...] = ()
    heap: Heap = dataclasses.field(default_factory=Heap, compare=False, repr=False)

    def __call__(self, target: MemberList, *values: Any) -> tuple[Any, ...]:
        return self.heap.run(super().__call__, self.attributes, (target, *values))
