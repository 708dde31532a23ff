"""References to objects on the heap of a member.

An object that may have one of its own class as an attribute, as a node of a tree has, is no
structure of variables: each member has its objects of a class on a heap, and a variable has the
place of one there, or -1 for None. The heap has a list for each attribute; what all objects of a
class have alike needs none.
"""

from __future__ import annotations

import abc
import contextvars
import dataclasses
import functools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import tensorflow as tf

from pcbatch.semantics import limits
from pcbatch.semantics.faults import require, unchecked
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.plain_classes import is_plain, written
from pcbatch.semantics.pytree import (
    LEAF,
    PLACE,
    Node,
    Reference,
    Tree,
    nodes,
    stands_for_pythons,
    unflatten,
)
from pcbatch.semantics.rounds import OnlyInProgram, note_read
from pcbatch.semantics.scoped import Scoped
from pcbatch.semantics.special import is_users, says
from pcbatch.semantics.tagged_unions import TAG, class_of, members_of
from pcbatch.semantics.user_code import is_installed

Attribute = tuple[type, str]
"""A class, and the name of an attribute of its objects."""
NOTHING = -1
"""The place that stands for None."""


@dataclasses.dataclass
class HeapView:
    """What an expression finds on the heap.

    Attributes:
      lists: the values of an attribute, by the place of the object.
      alike: what all objects of a class have as an attribute.
      others: attributes that have lists, too, which are not given.
      present: which attributes the objects of a class of a tagged union have.
    """

    lists: Mapping[Attribute, Any]
    alike: Mapping[Attribute, Any]
    others: frozenset[Attribute]
    present: Mapping[type, frozenset[str]]


class NotGiven(BaseException):
    """An expression reads an attribute whose list it is not given.

    No `Exception`, as the user's code could catch that.
    """

    def __init__(self, attribute: Attribute):
        super().__init__(attribute)
        self.attribute = attribute


_HEAP: contextvars.ContextVar[HeapView | None] = contextvars.ContextVar("heap", default=None)


def on(heap: HeapView) -> Scoped[HeapView]:
    """Look up attributes on a heap, inside."""
    return Scoped(_HEAP, heap)


def is_reference(value: Any) -> bool:
    """Whether a value is a reference to an object of the heap, or None."""
    return isinstance(value, Reference)


def place_of(value: Any) -> Any:
    """The place of an object; of None it is `NOTHING`."""
    return NOTHING if value is None else object.__getattribute__(value, PLACE)


def is_there(value: Any) -> Any:
    """Whether a reference is to an object, and not None."""
    return place_of(value) >= 0


def check_there(value: Any, name: str) -> None:
    """Stop the members for which a reference is None; an attribute of it is read or assigned."""
    require(is_there(value), f"AttributeError: 'NoneType' object has no attribute '{name}'")


def place_in_list(value: Any) -> Any:
    """Where the lists of attributes have an object; of None it is somewhere in them."""
    return tf.maximum(place_of(value), 0)


def for_all_members(tree: Tree) -> Unsupported:
    """What to say where a call for all members is given a reference."""
    found = (kind_of_tree(node) for node in nodes(tree) if is_reference_tree(node))
    name = next(found).__name__
    return Unsupported(
        f"an object of `{name}` is handed to a call for all members",
        f"it is given arrays; a variable with a `{name}` has the place of an object among those of "
        "the member.",
        "hand over what the object has: node.value",
    )


class Referring(Reference):
    """What the classes of references have beside the class of the user's.

    Attributes:
      __pcbatch_kind__: the class of the objects; a class of the user's may have a `kind`.
    """

    __pcbatch_kind__: ClassVar[type]

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__dict__", "__class__"):
            return object.__getattribute__(self, name)
        return _attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        assigned = f"a library assigns to `.{name}`"
        raise unsupported_reference(self, assigned, "assign it in the program", InLibrary)

    def __copy__(self) -> Any:
        raise unsupported_reference(self, "it is copied", _MADE_ANEW)

    def __deepcopy__(self, _: Any) -> Any:
        raise unsupported_reference(self, "it is copied", _MADE_ANEW)


class Nothing(Referring):
    """The class of references that are None, each of them."""

    __pcbatch_kind__ = type(None)


NULL = Node(Nothing, (PLACE,), (LEAF,))
"""The structure of a reference that is None."""

_MADE_ANEW = "make another object: Node(node.value, node.next)"


def _attribute(value: Any, name: str) -> Any:
    kind = reference_kind(value)
    if name == "__class__":
        return kind
    if name == "__dict__":
        raise unsupported_reference(
            value, "all its attributes are asked for", "read them one by one"
        )
    note_read()
    heap = _HEAP.get()
    if heap is not None and (kind, name) in heap.others:
        raise NotGiven((kind, name))
    check_there(value, name)
    if kind is type(None):
        raise AttributeError(f"'NoneType' object has no attribute '{name}'")
    if heap is not None and name != TAG:
        for of, is_another in _lacking(value, name, heap):
            said = f"AttributeError: '{of.__name__}' object has no attribute '{name}'"
            require(is_another, said)
    if heap is not None and (kind, name) in heap.lists:
        return heap.lists[kind, name].item(place_in_list(value))
    if heap is not None and (kind, name) in heap.alike:
        return heap.alike[kind, name]
    return object.__getattribute__(value, name)


def _lacking(value: Any, name: str, heap: HeapView) -> Iterator[tuple[type, Any]]:
    """The classes of a union whose objects have no such attribute, as those of others have, each
    with whether an object is of another one."""
    members = members_of(reference_kind(value))
    lacking = [of for of in members if name not in heap.present.get(of, ())]
    if len(lacking) < len(members):
        tag = class_tag(value, name)
        yield from ((of, tf.not_equal(tag, members.index(of))) for of in lacking)


def class_tag(value: Any, name: str) -> Any:
    """Which class of a union an object is of, by its place, as an attribute is asked of it."""
    if not is_reference(value):
        union: Any = type(value)
        return members_of(union).index(class_of(value))
    check_there(value, name)
    return getattr(value, TAG)


def is_of(value: Any, asked: Callable[[type], bool]) -> Any:
    """Whether the object of a reference, if it is to one, is of such a class."""
    members = members_of(reference_kind(value)) or (python_type(value),)
    found = [tag for tag, member in enumerate(members) if asked(member)]
    if len(found) in (0, len(members)):
        return bool(found)
    with unchecked():
        tag = class_tag(value, TAG)
    return functools.reduce(tf.logical_or, [tf.equal(tag, k) for k in found])


def has(value: Any, name: str) -> Any:
    """Whether the object of a reference, if it is to one, has an attribute, or a method."""
    kind, heap = reference_kind(value), _HEAP.get()
    if heap is not None and members_of(kind):
        present = heap.present
        return is_of(value, lambda of: name in present.get(of, ()) or hasattr(of, name))
    found = heap is not None and any(
        (kind, name) in known for known in (heap.lists, heap.alike, heap.others)
    )
    return found or hasattr(kind, name)


def check_assigned(value: Any, name: str) -> None:
    """Stop the members for which an object has no attribute, as it was made, that is assigned."""
    check_there(value, name)
    if (heap := _HEAP.get()) is not None:
        for kind, is_another in _lacking(value, name, heap):
            require(is_another, limits.unknown(_NEW.format(name, kind.__name__)))


_NEW = "`{0}` is assigned to an object of {1} that has none: assign it in the `__init__` of {1}"


class InLibrary(Unsupported, OnlyInProgram):
    """Plain Python does with an object of the heap what only the program can."""


def unsupported_reference(
    value: Any, what: str, remedy: str, kind: type[Unsupported] = Unsupported
) -> Unsupported:
    """What to say of a use of a reference that has no meaning."""
    name = reference_kind(value).__name__
    return kind(
        f"this object of `{name}` cannot be used so: {what}",
        f"a variable with a `{name}` has the place of an object among those of the member, as its "
        "attributes lead to others of its class, or as it has several names.",
        remedy,
    )


def reference_kind(value: Any) -> type:
    """The class of the objects that a reference may be to."""
    found: type = type(value).__pcbatch_kind__
    return found


def kind_of(value: Any) -> type:
    """The class of an object, or of those that a reference may be to."""
    return reference_kind(value) if is_reference(value) else type(value)


@functools.lru_cache(maxsize=1024)
def can_be_referred_to(kind: Any) -> bool:
    """Whether the objects of a class may be on the heap: a class may be derived from it, without a
    word to the user's code, which has the same attributes."""
    if is_installed(kind.__module__) or type(kind) not in (type, abc.ABCMeta):
        return False
    if stands_for_pythons(kind):
        return False
    if issubclass(kind, tuple) or is_users(getattr(kind.__init_subclass__, "__func__", None)):
        return False
    if members := members_of(kind):
        return all(map(can_be_referred_to, members))
    own = ("__getattribute__", "__getattr__", "__new__")
    standard = all(getattr(kind, name, None) is getattr(object, name, None) for name in own)
    return standard and (is_plain(kind) or dataclasses.is_dataclass(kind))


@functools.lru_cache(maxsize=1024)
def reference_class(kind: Any) -> Any:
    """The class of references to objects of a class: it has the methods of that."""
    if kind is type(None):
        return Nothing

    def refused(what: str, remedy: str) -> Any:
        def refuse(self: Any, *_: Any) -> Any:
            raise unsupported_reference(self, what, remedy, InLibrary)

        return refuse

    def body(names: dict[str, Any]) -> None:
        names.update(__module__=kind.__module__, __qualname__=kind.__qualname__)
        names["__pcbatch_kind__"] = kind
        names["__hash__"] = refused("its hash is asked for", "number the objects: self.number = n")
        names["__repr__"] = refused("it is made a text", "return what it has")
        for name in ("__eq__", "__ne__"):
            if not says(kind, name):
                names[name] = refused("a library compares it", "compare it in the program: a is b")
        if not any(says(kind, name) for name in ("__bool__", "__len__")):
            names["__bool__"] = refused("a library asks for its truth", "ask `is not None`")

    return types.new_class(kind.__name__, (Referring, kind), {}, body)


def reference(kind: type, place: Any) -> Any:
    """A reference to an object of a class."""
    return unflatten(reference_tree(kind), [place])


def or_none(condition: Any, value: Any) -> Any:
    """An object where a condition holds, else None."""
    return reference(reference_kind(value), tf.where(condition, place_of(value), NOTHING))


def python_type(value: Any) -> type:
    """The class of an object on the heap; of one that stands for a set, or a dict, Python's."""
    kind, _ = Meanings.stand_ins.get(type(value), (written(reference_kind(value)), None))
    return kind


def reference_tree(kind: type) -> Node:
    """The structure of a reference to an object of a class."""
    return Node(reference_class(kind), (PLACE,), (LEAF,))


def is_reference_tree(tree: Tree) -> bool:
    """Whether a structure is that of a reference."""
    return isinstance(tree, Node) and issubclass(tree.type, Reference)


def kind_of_tree(tree: Tree) -> type:
    """The class of the objects that a reference of a structure may be to."""
    assert isinstance(tree, Node)
    kind: Any = tree.type
    found: type = kind.__pcbatch_kind__
    return found
