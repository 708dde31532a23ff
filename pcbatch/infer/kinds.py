"""Which values are lists, sets, dicts and queues."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import Static, Value
from pcbatch.semantics import prelude, pytree
from pcbatch.semantics.chosen_classes import ChosenClass
from pcbatch.semantics.constants import is_constant
from pcbatch.semantics.lists import (
    Held,
    MemberDeque,
    MemberDict,
    MemberList,
    MemberSet,
    MemberTuple,
)
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.plain_classes import is_plain
from pcbatch.semantics.pytree import Node, Reference, Tree
from pcbatch.semantics.references import kind_of_tree
from pcbatch.semantics.tagged_unions import members_of

_PYTHON = (("list", list), ("set", set), ("dict", dict), ("deque", collections.deque))
_HELD: dict[type, str] = {MemberSet: "set", MemberDict: "dict", MemberDeque: "deque"}


def is_list(tree: Tree) -> bool:
    """Whether a structure is a list of the member, or a tuple of a length per member."""
    return isinstance(tree, Node) and issubclass(tree.type, MemberList)


def is_tuple(tree: Tree) -> bool:
    """Whether a structure is a tuple of a length per member, which nothing changes."""
    return isinstance(tree, Node) and tree.type is MemberTuple


def holds_tuple(value: Value) -> bool:
    """Whether a value is a tuple, of a fixed length or of one per member."""
    leaf, tree = value.leaf, value.tree
    if isinstance(leaf, Static):
        return isinstance(leaf.value, tuple)
    return is_tuple(tree) or (isinstance(tree, Node) and issubclass(tree.type, tuple))


def is_held(tree: Tree) -> bool:
    """Whether a structure is a set, a dict or a queue of the member, or a part of such a dict."""
    return isinstance(tree, Node) and issubclass(tree.type, Held)


def held_kind(value: Value) -> str:
    """The kind of a set, a dict or a queue of the member; "" for anything else."""
    return _HELD.get(value.tree.type, "") if isinstance(value.tree, Node) else ""


def kind_of(value: Value) -> str:
    """ "list", "set", "dict" or "deque" of what can be changed in place; "" for anything else."""
    leaf, tree = value.leaf, value.tree
    if isinstance(leaf, Static):
        return kind_of_object(leaf.value)
    if not isinstance(tree, Node):
        return ""
    if tree.type is MemberList:
        return "list"
    found = (name for name, kind in _PYTHON if issubclass(tree.type, kind))
    return held_kind(value) or next(found, "")


def kind_of_object(value: Any) -> str:
    """The same of a Python object."""
    if isinstance(value, Held):
        return _HELD.get(type(value), "")
    if type(value) is MemberList:
        return "list"
    return next((name for name, kind in _PYTHON if isinstance(value, kind)), "")


def is_object(tree: Tree) -> bool:
    """Whether a structure is an object of a NamedTuple, a dataclass or a plain class."""
    if not isinstance(tree, Node) or issubclass(tree.type, (MemberList, Held, Reference)):
        return False
    is_dataclass = dataclasses.is_dataclass(tree.type)
    return is_dataclass or hasattr(tree.type, "_fields") or tree.meta == pytree.MADE


def is_record(tree: Tree) -> bool:
    """Whether a structure is an object, not of a NamedTuple, whose attributes may be assigned."""
    return is_object(tree) and isinstance(tree, Node) and is_changeable(tree.type)


def is_by_names(tree: Tree) -> bool:
    """Whether each value of a structure is a variable of its own, which may be assigned."""
    if not isinstance(tree, Node) or issubclass(tree.type, Held):
        return False
    is_dict = issubclass(tree.type, dict) and not (tree.keys and all(map(is_key, tree.keys)))
    return is_dict or is_record(tree)


def is_dict_or_record(value: Value) -> bool:
    """Whether a value is a dict of the program's, or an object whose attributes may be assigned."""
    return (kind_of(value) == "dict" and not is_held(value.tree)) or is_record(value.tree)


def is_changeable(kind: type) -> bool:
    """Whether attributes of a class's objects may be assigned, and nothing else happens then."""
    if is_plain(kind):
        return True
    if members := members_of(kind):
        return any(map(is_changeable, members))
    methods = ("__setattr__", "__new__")
    if any(getattr(kind, name) is not getattr(object, name) for name in methods):
        return False
    if not dataclasses.is_dataclass(kind):
        return False
    values = (getattr(kind, field.name, None) for field in dataclasses.fields(kind))
    return not any(isinstance(value, property) for value in values)


def check_presentable(result: Value, span: Span) -> None:
    """Refuse to return what is no array for all members.

    Raises:
      ProgramError: there is a set, a dict, a queue, or an object that leads to others, in the
        result.
    """
    for node in pytree.nodes(result.tree):
        if node.type in Meanings.contents:
            stands_for, _ = Meanings.stand_ins[node.type]
            raise ProgramError(report.KeyedResult(span, stands_for.__name__))
        if issubclass(node.type, Reference):
            raise ProgramError(report.ObjectResult(span, kind_of_tree(node).__name__))
        if node.type is ChosenClass:
            raise ProgramError(report.ClassResult(span))
        if node.type in prelude.CLASSES:
            raise ProgramError(report.KeyedResult(span, "dict"))
        if issubclass(node.type, Held):
            raise ProgramError(report.KeyedResult(span, _HELD.get(node.type, "view")))


def number_keys(value: Value) -> bool:
    """Whether the keys of a dict are numbers or tuples of numbers; of a set texts may be, too."""
    if kind_of(value) == "deque":
        return True
    if isinstance(value.leaf, Static) and isinstance(value.leaf.value, (set, frozenset)):
        return all(is_key(x) or is_constant(x) for x in value.leaf.value)
    if isinstance(value.tree, Node):
        return all(map(is_key, value.tree.keys))
    return isinstance(value.leaf, Static) and all(map(is_key, value.leaf.value))


def is_key(key: Any) -> bool:
    """Whether a key is a number, or a tuple of numbers."""
    if isinstance(key, tuple):
        return all(map(is_key, key))
    return isinstance(key, (bool, int, float, complex))
