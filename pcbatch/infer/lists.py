"""Which lists are kept in buffers.

A list that is only read is a structure: each element is a variable. One that is written to, or that
has another length on each of two paths, is a list of the member, from where it is made. Inference
finds out where it has to be one, and begins again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from pcbatch.infer.allocation import Copy
from pcbatch.infer.domain import BufferRef, Leaf, Static, Value
from pcbatch.infer.keyed import are_named_alike
from pcbatch.infer.kinds import (
    held_kind,
    is_by_names,
    is_dict_or_record,
    is_held,
    is_list,
    is_object,
    is_tuple,
    kind_of,
    number_keys,
)
from pcbatch.infer.likes import joined_like, like_of, like_of_all
from pcbatch.infer.list_values import (
    Path,
    child_values,
    data_of,
    is_any_tuple,
    is_static_list,
    keys_of,
    layout_of,
    like_of_tuples,
    opened,
    origins,
    stored,
    subtree,
)
from pcbatch.infer.maybe_none import is_any_text, value_of
from pcbatch.infer.meeting import Conflict
from pcbatch.infer.parts import origins_of
from pcbatch.infer.provenance import Named
from pcbatch.semantics import pytree
from pcbatch.semantics.lists import CAPACITY, Like, ListLayout, ListPlan, Making, Roomier
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Fresh,
    Origin,
    Origins,
    Site,
    identity,
    outermost,
    within,
)
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.pytree import Node, Tree


class Replan(Exception):
    """A list is to be kept in another way, so inference begins again."""


class Anew(Replan):
    """Calls are handed other values than until now, so what was found of lists may not hold."""


@dataclasses.dataclass
class LastResort:
    """What inference does with a program only where it types in no other way.

    Attributes:
      taken: it is done.
      could: there was a place where it could be.
    """

    taken: bool = False
    could: bool = False


@dataclasses.dataclass
class Lists:
    """The plans of a program, kept while inference begins again.

    Attributes:
      plans: by where a list is made.
      capacity: how much room a list that grows has at first.
      rooms: where the lists are made whose elements, or lengths, are in a room.
      viewed: the rooms of lists of which a variable has a row while a function is called.
      copies: whether functions that return lists of their own are known to be called repeatedly.
      named: the dicts and objects whose values are assigned.
      arrays: the lists whose elements are arrays that an operator changes.
      growing_tuples: tuples that have two lengths where paths meet become tuples of the member. (An
        unrolled loop keeps tuples of known lengths, whose elements may be of several types.)
      followed_lists: a list of known length to which something is appended is, behind that, another
        list of known length, where the program needs the length, as `tf.stack(xs)` does, and one
        variable alone has the list.
    """

    plans: dict[Site, ListPlan] = dataclasses.field(default_factory=dict)
    capacity: int = CAPACITY
    rooms: dict[str, Origins] = dataclasses.field(default_factory=dict)

    viewed: set[str] = dataclasses.field(default_factory=set)
    copies: bool = False
    named: Named = dataclasses.field(default_factory=Named)
    arrays: Named = dataclasses.field(default_factory=Named)
    growing_tuples: LastResort = dataclasses.field(default_factory=LastResort)
    followed_lists: LastResort = dataclasses.field(default_factory=LastResort)

    # --- What is found out -----------------------------------------------------------------

    def write(
        self, where: Collection[Origin], *, grows: bool = False, like: Like | None = None
    ) -> None:
        """Keep the lists that are made somewhere in buffers.

        Args:
          where: they are made.
          grows: their lengths change.
          like: the type of their elements, if it is known here; inference begins less often then.

        Raises:
          Replan: they have not been kept so until now.
        """
        changed = False
        for origin in where:
            site, level = outermost(origin)
            old = self._plan(site)
            levels = max(len(old.grows), level + 1)
            flags = [*old.grows, *[False] * (levels - len(old.grows))]
            flags[level] |= grows
            # The elements of what was a list of structures are others than those of its rows.
            known = old.like if levels == len(old.grows) else None
            known = like if known is None and levels == 1 else known
            changed |= self._note(site, ListPlan(tuple(flags), known, old.capacity))
        if changed:
            self.named.forget(site for site, _ in map(outermost, where))
            raise Replan

    def retype(self, where: Iterable[Origin], like: Like) -> None:
        """Have lists made with elements of a type.

        Raises:
          Replan: they have not been made so until now.
        """
        changed = False
        for origin in where:
            site, _ = outermost(origin)
            old = self._plan(site)
            changed |= self._note(site, dataclasses.replace(old, like=like))
        if changed:
            raise Replan

    def _plan(self, site: Site) -> ListPlan:
        return self.plans.get(site.in_any_round, ListPlan((False,)))

    def _note(self, site: Site, plan: ListPlan) -> bool:
        site = site.in_any_round
        changed = self.plans.get(site) != plan
        self.plans[site] = plan
        return changed

    def of(self, value: Value) -> Origins:
        """Where the lists are made that a value, which is a list, may be."""
        if is_held(value.tree):
            return self.of(stored(value))
        if is_list(value.tree):
            leaves = data_of(value).leaves
            rooms = (r for x in leaves if isinstance(x, BufferRef) for r in x.rooms)
            found = frozenset(o for room in rooms for o in self.rooms.get(room, NOWHERE))
            for _ in range(pytree.count(subtree(value, ("rows",)).tree)):
                found = within(found)
            return found
        return identity(origins(value.leaf if value.leaf is not None else value.tree))

    def origins_of(self, value: Value) -> Origins:
        """The same; of an object or a dict also how it was changed."""
        return origins_of(value) if is_dict_or_record(value) else self.of(value)

    def reconcile(self, old: Value, new: Value, *, named: bool = True) -> None:
        """Where two paths have lists that are not alike, have them made alike.

        Args:
          old, new: the values.
          named: dicts whose keys are texts may be the member's own.

        Raises:
          Replan: this can be done.
        """
        pairs = [(old, new)]
        while pairs:
            a, b = pairs.pop()
            if all(map(is_any_text, (a, b))):
                want_spelled()
            a, b = (opened(value_of(x)) for x in (a, b))
            listed = [is_list(x.tree) or is_static_list(x.tree) for x in (a, b)]
            if all(listed) and is_tuple(a.tree) == is_tuple(b.tree):
                self._reconcile(a, b)
            elif kind_of(a) not in ("", "list") and kind_of(a) == kind_of(b):
                self._reconcile_held(a, b, named)
            elif is_any_tuple(a.tree) and is_any_tuple(b.tree):
                self._reconcile_tuples(a, b)
            if type(a.tree) is type(b.tree) and isinstance(a.tree, Node):
                assert isinstance(b.tree, Node)
                if a.tree.type is b.tree.type and a.tree.keys == b.tree.keys:
                    mine, theirs = dict(child_values(a)), dict(child_values(b))
                    pairs += [(mine[key], theirs[key]) for key in mine]

    def _reconcile(self, a: Value, b: Value) -> None:
        where = self.of(a) | self.of(b)
        if is_list(a.tree) and is_list(b.tree):
            first, second = layout_of(a), layout_of(b)
            if first.capacity != second.capacity or first.grows != second.grows:
                self._room(where, first, second)
            likes = [like_of(data_of(x), layout_of(x)) for x in (a, b) if layout_of(x).known]
            if len(likes) == 1:
                self.retype(where, likes[0])
            if len(likes) == 2 and likes[0] != likes[1]:
                like = joined_like(*likes)
                self.retype(where, like)
            return
        if is_list(a.tree) or is_list(b.tree):
            known = layout_of(a if is_list(a.tree) else b)
            other = b if is_list(a.tree) else a
            same = len(keys_of(other)) == known.capacity[0]
            self._deepen(self.of(other), len(known.grows))
            self.write(where, grows=known.grows[0] or not same)
        elif len(keys_of(a)) != len(keys_of(b)):
            elements = (*child_values(a), *child_values(b))
            self.write(where, grows=True, like=like_of_all([x for _, x in elements]))

    def _reconcile_held(self, a: Value, b: Value, named: bool) -> None:
        """Sets, dicts or queues that are not the same on two paths."""
        both = held_kind(a) and held_kind(b)
        alike = kind_of(a) != "set" and keys_of(a) == keys_of(b)
        if both or alike:
            return
        if (named and are_named_alike(a, b)) or all(held_kind(x) or number_keys(x) for x in (a, b)):
            self.write(self.of(a) | self.of(b), grows=True)

    def _reconcile_tuples(self, a: Value, b: Value) -> None:
        """Tuples of two lengths, whose elements are numbers of one type, or tuples of such."""
        like = like_of_tuples(a, b)
        if isinstance(like, Conflict) or not (self.of(a) and self.of(b)):
            return
        if self.growing_tuples.taken:
            self.write(self.of(a) | self.of(b), grows=True, like=like)
        self.growing_tuples.could = True

    def _deepen(self, where: Origins, levels: int) -> None:
        for _ in range(levels - 1):
            where = within(where)
        if levels > 1:
            self.write(where)

    def _room(self, where: Origins, first: ListLayout, second: ListLayout) -> None:
        changed = False
        for origin in where:
            site, _ = outermost(origin)
            old = self._plan(site)
            levels = max(len(first.grows), len(second.grows))
            flags = [False] * levels
            for layout in (first, second):
                for k, grows in enumerate(layout.grows):
                    others = [x.capacity[k] for x in (first, second) if k < len(x.capacity)]
                    flags[k] |= grows or len(set(others)) > 1
            known = [*old.grows, *[False] * (levels - len(old.grows))]
            both = tuple(a or b for a, b in zip(flags, known, strict=True))
            room = max((x.capacity[-1] for x in (first, second)), default=0)
            changed |= self._note(site, ListPlan(both, old.like, max(old.capacity, room)))
        if changed:
            raise Replan

    def copied(self, copies: Iterable[Copy]) -> None:
        """Take note of the lists that a caller copies from its callee."""
        for copy in copies:
            found = (self.rooms.get(room, NOWHERE) for room in copy.old.rooms)
            where = frozenset(origin for origins in found for origin in origins)
            self.rooms.update(dict.fromkeys(copy.making.reference.rooms, where))

    # --- What follows for the program ------------------------------------------------------

    def making(
        self, fn: Callable[..., Any], makes: Fresh | None, site: Callable[[Path], Site]
    ) -> Callable[..., Any]:
        """A primitive's function that makes lists as planned.

        Args:
          fn: makes them as Python does.
          makes: where in its results.
          site: what stands for one of them.
        """
        found = {path: self.plans.get(site(path).in_any_round) for path in _fresh_paths(makes)}
        plans = [(path, plan) for path, plan in found.items() if plan is not None]
        outer = {path for path, _ in plans}
        plans = [(p, plan) for p, plan in plans if not any(p[:k] in outer for k in range(len(p)))]
        if plans:
            fn = Making(fn, tuple(plans))
        return fn if self.capacity == CAPACITY else Roomier(fn, self.capacity)

    def note(
        self, value: Value, makes: Fresh | None, site: Callable[[Path], Site], path: Path
    ) -> Value:
        """Take note of the lists that a primitive has made; the value with where that was."""
        if makes is None:
            return value
        if is_list(value.tree) or is_held(value.tree):
            rooms = (r for x in value.leaves if isinstance(x, BufferRef) for r in x.rooms)
            self.rooms.update(dict.fromkeys(rooms, frozenset({site(path)})))
            return value
        return self._marked(value, makes, site, path, None)

    def _marked(
        self,
        value: Value,
        makes: Fresh,
        site: Callable[[Path], Site],
        path: Path,
        outer: Origins | None,
    ) -> Value:
        tree, leaf = value.tree, value.leaf
        own = NOWHERE
        if makes.is_list:
            in_list = outer is not None and not is_by_names(tree)
            own = within(outer or NOWHERE) if in_list else frozenset({site(path)})
        if isinstance(leaf, Static) and makes.is_list and kind_of(value):
            return Value(tree, (dataclasses.replace(leaf, origins=own),))
        kind = kind_of(value)
        if not isinstance(tree, Node) or not (kind or tree.type is tuple or is_object(tree)):
            return value
        if kind and not makes.is_list and not makes.parts:
            return value
        if makes.is_tuple and outer is None:
            own = frozenset({site(path)})
        children, leaves = list[Tree](), list[Leaf]()
        for key, child in child_values(value):
            told = kind == "list" or makes.every is None
            part = makes.at(key) if told and keeps(tree, key) else None
            if part is not None and (is_list(child.tree) or is_held(child.tree)):
                child = self.note(child, part, site, (*path, key))
            elif part is not None:
                inner = own if kind == "list" else None
                child = self._marked(child, part, site, (*path, key), inner)
            children.append(child.tree)
            leaves += child.leaves
        return Value(
            dataclasses.replace(tree, children=tuple(children), origins=own or tree.origins),
            tuple(leaves),
        )


def keeps(tree: Node, field: Any) -> bool:
    """Whether a container has what it was made of; an object's class may do otherwise."""
    return not is_object(tree) or field in pytree.fields(tree.type)


def _fresh_paths(makes: Fresh | None, path: Path = ()) -> Iterator[Path]:
    """Where the lists are that are no parts of others."""
    if makes is None:
        return
    if makes.is_list or makes.is_tuple:
        yield path
    if makes.is_list and not makes.is_dict:
        return
    for key, part in makes.parts:
        yield from _fresh_paths(part, (*path, key))
