"""Objects on the heap in the place of sets and dicts that are put into containers."""

from __future__ import annotations

import gast

from pcbatch.frontend.inner_containers import (
    DEFAULT,
    InnerContainers,
    any_container,
    is_empty,
    is_record,
    values_of,
)
from pcbatch.frontend.nodes import method_call, module_call, read
from pcbatch.frontend.runtime_names import DISPLAYS, PRELUDE


class Rewrite(gast.NodeTransformer):
    """Has objects of the prelude made in the place of sets and dicts.

    Args:
      inner: which expressions make them.
      apart: whether those of each container have a class of their own.
    """

    def __init__(self, inner: InnerContainers, apart: bool):
        self._inner, self._apart = inner, apart

    def visit(self, node: gast.AST) -> gast.AST:
        made, missing = self._inner.found.get(id(node)), self._inner.defaults.get(id(node))
        perhaps, is_result = self._inner.perhaps.get(id(node)), id(node) in self._inner.results
        first = _first_values(node) if missing else []
        node = self.generic_visit(node)
        if is_result and not made:
            return module_call(DISPLAYS, "presented", [node], node)
        if perhaps:
            kind = _of_prelude(node, self._kind(perhaps))
            return module_call(PRELUDE, "owned", [kind, node], node)
        if missing:
            default, kind = _of_prelude(node, DEFAULT), self._kind(missing)
            making: gast.expr = _of_prelude(node, kind)
            if first:
                making = module_call(PRELUDE, "with_values", [making, *first], node)
            return module_call(PRELUDE, "made", [default, making], node)
        return self._owned(node, self._kind(made)) if made else node

    def _kind(self, kind: str) -> str:
        return kind if self._apart else any_container(kind)

    def _owned(self, node: gast.expr, kind: str) -> gast.expr:
        """What makes an object on the heap in the place of a set or a dict."""
        empty = module_call(PRELUDE, kind, [], node)
        match node:
            case gast.IfExp(test=test, body=body, orelse=other):
                both = (self._owned(x, kind) for x in (body, other))
                return gast.copy_location(gast.IfExp(test, *both), node)
        if is_record(any_container(kind)):
            return module_call(PRELUDE, kind, values_of(node), node)
        if is_empty(node):
            return empty
        return method_call(empty, "filled_with", [node], node)


def _of_prelude(node: gast.AST, name: str) -> gast.Attribute:
    return gast.copy_location(gast.Attribute(read(PRELUDE, node), name, gast.Load()), node)


def _first_values(node: gast.Call) -> list[gast.expr]:
    """The values of the dict that a `defaultdict` has for a missing key."""
    (made,) = node.args
    return values_of(made.body) if isinstance(made, gast.Lambda) else []
