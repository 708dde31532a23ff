"""Lists that are put into a list of lists, which has copies of them.

In Python it has the lists themselves. While a variable means one of them, too, neither it nor what
the list of lists has may be changed in place: the other would not see it. This is noted in their
layouts, which go wherever the lists go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from pcbatch.infer.domain import BufferRef, Leaf, NewBuffer, Static, Value
from pcbatch.infer.kinds import is_list
from pcbatch.infer.list_values import child_values, layout_of, subtree
from pcbatch.semantics import pytree
from pcbatch.semantics.lists import ListLayout
from pcbatch.semantics.lists.fresh import NOWHERE, Origin, Origins, Site, outermost
from pcbatch.semantics.pytree import Node, Tree


@dataclasses.dataclass
class PutByCalls:
    """The lists that functions put into others, where a caller may mean either.

    Attributes:
      rows: where the lists are made that are put into others.
      holders: where those others are made.
      kept: the rooms of lists that a variable has while a function is called.
      handed: the rooms of lists that no variable was known to have, but that of the function.
    """

    rows: set[Site] = dataclasses.field(default_factory=set)
    holders: set[Site] = dataclasses.field(default_factory=set)
    kept: set[str] = dataclasses.field(default_factory=set)
    handed: set[str] = dataclasses.field(default_factory=set)

    def add(self, rows: Iterable[Origin], holders: Iterable[Origin]) -> bool:
        """Note lists; whether that is new."""
        before = len(self.rows) + len(self.holders)
        for origin in rows:
            site, level = outermost(origin)
            (self.holders if level else self.rows).add(site.in_any_round)  # of a row: what has it
        self.holders |= {outermost(origin)[0].in_any_round for origin in holders}
        return before < len(self.rows) + len(self.holders)

    def keep(self, rooms: set[str]) -> bool:
        """Note lists that a caller keeps; whether one was taken to be the function's own."""
        self.kept |= rooms
        taken, self.handed = self.handed & rooms, self.handed - rooms
        return bool(taken)

    def is_kept(self, rooms: set[str]) -> bool:
        """Whether a caller may keep one of the lists that a function is given."""
        self.handed |= rooms - self.kept
        return not rooms.isdisjoint(self.kept)

    def after_call(self, value: Value, given: set[str], made: Mapping[str, Origins]) -> Value:
        """What a variable of a caller has when a call is over.

        Args:
          value: it has before.
          given: the rooms of the lists that the function has got.
          made: where the list of a room is made.
        """

        def rooms(sites: set[Site]) -> set[str]:
            own = ((room, made.get(room, NOWHERE)) for room in rooms_of(value) & given)
            return {r for r, o in own if any(outermost(x)[0].in_any_round in sites for x in o)}

        return with_rows(as_row(value, rooms(self.rows)), rooms(self.holders))


def rooms_of(value: Value) -> set[str]:
    """The rooms of all lists in a value."""
    return {room for x in value.leaves if isinstance(x, BufferRef) for room in x.rooms}


def as_row(value: Value, rooms: set[str]) -> Value:
    """A value in which the lists that are in some rooms have copies in another list."""
    return _with_layouts(value, lambda x: not rooms.isdisjoint(rooms_of(x)), _as_row)


def with_rows(value: Value, rooms: set[str]) -> Value:
    """A value in which the lists that are in some rooms have copies of others."""
    return _with_layouts(value, lambda x: not rooms.isdisjoint(rooms_of(x)), _with_rows)


def new_as_row(value: Value) -> Value:
    """What an operation gives, in which the lists that it makes may have copies, or be some."""
    return _with_layouts(value, _is_new, _as_row)


def _as_row(known: ListLayout) -> ListLayout:
    return known.copied(is_row=True, has_rows=known.has_rows)


def _with_rows(known: ListLayout) -> ListLayout:
    return known.copied(is_row=known.is_row, has_rows=True)


def _is_new(value: Value) -> bool:
    return any(isinstance(leaf, NewBuffer) for leaf in value.leaves)


def has_copies(value: Value) -> bool:
    """Whether a list in a value has copies, or is one."""
    known = (x.value for x in value.leaves if isinstance(x, Static))
    return any(isinstance(x, ListLayout) and (x.is_row or x.has_rows) for x in known)


def must_stay(target: Value) -> bool:
    """Whether a list, or a row of one, must not be changed."""
    layout = layout_of(target)
    return layout.is_row or (layout.has_rows and pytree.count(subtree(target, ("rows",)).tree) > 0)


def _with_layouts(
    value: Value, which: Callable[[Value], bool], change: Callable[[ListLayout], ListLayout]
) -> Value:
    """A value in which the layouts of some lists are others."""
    tree = value.tree
    if not isinstance(tree, Node) or (is_list(tree) and not which(value)):
        return value
    children, leaves = list[Tree](), list[Leaf]()
    for key, child in child_values(value):
        if not is_list(tree):
            child = _with_layouts(child, which, change)
        elif key == "layout":
            leaf = child.leaf
            assert isinstance(leaf, Static)
            child = Value(child.tree, (dataclasses.replace(leaf, value=change(leaf.value)),))
        children.append(child.tree)
        leaves += child.leaves
    return Value(dataclasses.replace(tree, children=tuple(children)), tuple(leaves))
