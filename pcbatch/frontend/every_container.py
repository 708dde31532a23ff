"""Sets and dicts that attributes have, and dicts whose keys are known texts: objects on the heap.

They become so where a program fails in every other way, see `inner_containers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from pcbatch.frontend.inner_containers import (
    Callee,
    InnerContainers,
    IsBuiltin,
    any_container,
    is_record,
)
from pcbatch.frontend.nodes import assigned
from pcbatch.frontend.own_nodes import own_nodes
from pcbatch.semantics import prelude


class EveryContainer(InnerContainers):
    """Finds those that attributes have, too, and dicts with known texts as keys, called records.

    Args:
      node, is_builtin, callee: as for `InnerContainers`.
      known: classes of records that are put into containers: all such records become objects, but
        for those that are results. None: those of all classes.
      is_called: whether another function calls this one.
    """

    def __init__(
        self,
        node: gast.AST,
        is_builtin: IsBuiltin,
        callee: Callee,
        known: Iterable[str] | None,
        is_called: bool,
    ):
        self._is_called = is_called
        super().__init__(node, is_builtin, callee)
        parts = list(gast.walk(node))
        records = {kind for part in parts if is_record(kind := self.made(part))}
        if known is not None:
            records &= set(map(any_container, known))
        returned = (value for part in own_nodes(node) for value in _returned(part))
        given = [] if is_called else [x for value in returned for x in _parts(value)]
        if known is None or any(is_record(any_container(kind)) for kind in known):
            self.results = {id(x) for x in given if isinstance(x, _TAKING)}
        kept = {*self.found, *map(id, given)}
        self.found |= {
            id(part): kind
            for part in parts
            if (kind := self.made(part)) in records and id(part) not in kept
        }

    def put(self, node: gast.AST) -> Iterator[tuple[gast.expr, str]]:
        """Those that an attribute has are put into it, and what is returned may be put anywhere."""
        yield from super().put(node)
        for target, value in assigned(node):
            if isinstance(target, gast.Attribute):
                yield value, target.attr
        if self._is_called:
            yield from ((value, "") for value in _returned(node))

    def record(self, keys: list[str]) -> str:
        """The class of a dict with some keys, each of which it has once."""
        return prelude.record_name(keys) if len(set(keys)) == len(keys) else ""


def _returned(node: gast.AST) -> Iterator[gast.expr]:
    """What a statement returns."""
    match node:
        case gast.Return(value=value) if value is not None:
            yield value


_TAKING = (gast.Name, gast.Attribute, gast.Subscript)
"""Expressions that give what a variable, or a container, has."""


def _parts(node: gast.expr) -> Iterator[gast.expr]:
    """A result, or the parts of a tuple."""
    if isinstance(node, gast.Tuple):
        for part in node.elts:
            yield from _parts(part)
    else:
        yield node
