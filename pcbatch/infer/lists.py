"""The lists that a program makes, and where each is made."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pcbatch.infer.allocation import Copy
from pcbatch.infer.domain import BufferRef, Leaf, Static, Value
from pcbatch.infer.kinds import (
    is_by_names,
    is_held,
    is_list,
    is_object,
    kind_of,
)
from pcbatch.infer.list_values import (
    Path,
    child_values,
)
from pcbatch.infer.reconciling import Reconciling
from pcbatch.semantics import prelude, pytree
from pcbatch.semantics.lists import CAPACITY, ListPlan, Making, Roomier
from pcbatch.semantics.lists.fresh import (
    NOWHERE,
    Fresh,
    Origins,
    Site,
    within,
)
from pcbatch.semantics.pytree import Node, Tree


class Lists(Reconciling):
    """Has expressions make lists as planned, and takes note of them."""

    def copied(self, copies: Iterable[Copy]) -> None:
        """Take note of the lists that a caller copies from its callee."""
        for copy in copies:
            found = (self.rooms.get(room, NOWHERE) for room in copy.old.rooms)
            where = frozenset(origin for origins in found for origin in origins)
            self.rooms.update(dict.fromkeys(copy.making.reference.rooms, where))

    def making(
        self, fn: Callable[..., Any], makes: Fresh | None, site: Callable[[Path], Site]
    ) -> Callable[..., Any]:
        """A primitive's function that makes lists as planned.

        Args:
          fn: makes them as Python does.
          makes: where in its results.
          site: what stands for one of them.
        """
        paths = tuple(_fresh_paths(makes))
        for path in paths:
            if makes is not None and _at(makes, path).grows:
                self.plans.setdefault(site(path).in_any_round, ListPlan((True,)))
        found = {path: self.plans.get(site(path).in_any_round) for path in paths}
        found |= self._of_elements(paths, site)
        plans = [(path, plan) for path, plan in found.items() if plan is not None]
        outer = {path for path, _ in plans}
        plans = [(p, plan) for p, plan in plans if not any(p[:k] in outer for k in range(len(p)))]
        if plans:
            fn = Making(fn, tuple(plans))
        return fn if self.capacity == CAPACITY else Roomier(fn, self.capacity)

    def _of_elements(
        self, paths: Iterable[Path], site: Callable[[Path], Site]
    ) -> dict[Path, ListPlan]:
        """The plans of lists of the member that are elements of a list of known length."""
        planned = ((known, plan) for known, plan in self.plans.items() if len(known.path) > 1)
        return {
            known.path: plan
            for known, plan in planned
            if any(path == known.path[: len(path)] for path in paths if len(path) < len(known.path))
            and site(known.path).in_any_round == known
        }

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
    own = is_object(tree) and tree.type not in prelude.CLASSES
    return not own or field in pytree.fields(tree.type)


def _at(makes: Fresh, path: Path) -> Fresh:
    for key in path:
        part = makes.at(key)
        assert part is not None
        makes = part
    return makes


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
