"""Lists that are not alike where two paths meet are made alike."""

from __future__ import annotations

from pcbatch.infer.domain import Value
from pcbatch.infer.keyed import are_named_alike
from pcbatch.infer.kinds import (
    held_kind,
    is_list,
    is_tuple,
    kind_of,
    number_keys,
)
from pcbatch.infer.likes import joined_like, like_of, like_of_all
from pcbatch.infer.list_plans import ListPlans, Replan
from pcbatch.infer.list_values import (
    both_lists,
    child_values,
    data_of,
    is_any_tuple,
    is_static_list,
    keys_of,
    layout_of,
    like_of_tuples,
    opened,
)
from pcbatch.infer.maybe_none import is_any_text, value_of
from pcbatch.infer.meeting import Conflict
from pcbatch.semantics.lists import ListLayout, ListPlan
from pcbatch.semantics.lists.fresh import (
    Origins,
    outermost,
    within,
)
from pcbatch.semantics.named_texts import want_spelled
from pcbatch.semantics.pytree import Node


class Reconciling(ListPlans):
    """Has lists made so that a variable may have either of two."""

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
                if likes[0].tree != likes[1].tree and both_lists(*(x.tree for x in likes)):
                    self.write(within(where), grows=True)  # of two lengths: they are its rows
                self.retype(where, joined_like(*likes))
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
