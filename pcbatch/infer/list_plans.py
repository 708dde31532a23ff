"""How lists are kept: as structures, or in buffers of the member.

A list that is only read is a structure: each element is a variable. One that is written to, or that
has another length on each of two paths, is a list of the member, from where it is made. Inference
finds out where it has to be one, and begins again.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Collection, Iterable

from pcbatch.infer.copied_rows import PutByCalls
from pcbatch.infer.domain import BufferRef, Value
from pcbatch.infer.kinds import (
    is_dict_or_record,
    is_held,
    is_list,
)
from pcbatch.infer.list_values import (
    data_of,
    origins,
    stored,
    subtree,
)
from pcbatch.infer.parts import origins_of
from pcbatch.infer.provenance import Named
from pcbatch.semantics import pytree
from pcbatch.semantics.lists import CAPACITY, Like, ListPlan
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Origin,
    Origins,
    Site,
    identity,
    of_program,
    outermost,
    within,
)


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
class ListPlans:
    """The plans of a program, kept while inference begins again.

    Attributes:
      plans: by where a list is made.
      capacity: how much room a list that grows has at first.
      rooms: where the lists are made whose elements, or lengths, are in a room.
      viewed: by the room of lists of which a variable has a row while functions are called, these.
      copies: whether functions that return lists of their own are known to be called repeatedly.
      put_by_calls: which lists functions put into others.
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

    viewed: dict[str, set[types.CodeType]] = dataclasses.field(default_factory=dict)
    copies: bool = False
    put_by_calls: PutByCalls = dataclasses.field(default_factory=PutByCalls)
    named: Named = dataclasses.field(default_factory=Named)
    arrays: Named = dataclasses.field(default_factory=Named)
    growing_tuples: LastResort = dataclasses.field(default_factory=LastResort)
    followed_lists: LastResort = dataclasses.field(default_factory=LastResort)

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

    def put(self, rows: Iterable[Origin], holders: Iterable[Origin]) -> None:
        """Note that a function puts lists into others, and that its callers may mean them.

        Raises:
          Replan: this has not been known until now.
        """
        if self.put_by_calls.add(rows, holders):
            raise Replan

    def called_with(self, rooms: set[str]) -> set[types.CodeType]:
        """The functions that are called while a variable has a row of some lists."""
        return {code for room in rooms for code in self.viewed.get(room, ())}

    def keep(self, rooms: set[str]) -> None:
        """Note lists that a variable of a caller has while a function is called.

        Raises:
          Replan: the function has taken one of them to be its own.
        """
        if self.put_by_calls.keep(rooms):
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
            # Of a copy: where what it is of is made.
            return found or of_program(identity(origins(value.tree)))
        return identity(origins(value.leaf if value.leaf is not None else value.tree))

    def origins_of(self, value: Value) -> Origins:
        """The same; of an object or a dict also how it was changed."""
        return origins_of(value) if is_dict_or_record(value) else self.of(value)
