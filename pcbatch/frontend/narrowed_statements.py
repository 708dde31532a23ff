"""The statements of a function in which elements and attributes that are not None are marked.

One is not None behind `if memo[k] is not None:`, and behind `memo[k] = value`, before
anything may have changed it; see `narrowed_elements`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

import gast

from pcbatch import ir
from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.narrowed_elements import (
    SIMPLE,
    Element,
    element_of,
    is_plain,
    mark,
    marked,
    not_none,
    replaced,
    unchanged,
)

_LEAVE = (gast.Return, gast.Raise, gast.Continue, gast.Break)
_NEVER_NONE = (gast.List, gast.Tuple, gast.Dict, *scope.COMPREHENSIONS)


def body(b: Builder, nodes: Sequence[gast.stmt]) -> Sequence[gast.stmt]:
    """The statements of a function, in which such elements are marked."""
    return _Marking(b, _asked(nodes)).body(nodes, [])[0]


def _asked(nodes: Sequence[gast.stmt]) -> frozenset[str]:
    """The variables of which a function asks whether an element or an attribute is None."""
    found = set[str]()
    for part in (part for node in nodes for part in gast.walk(node)):
        match part:
            case gast.Compare(
                left=gast.Subscript() | gast.Attribute() as left,
                comparators=[gast.Constant(value=None)],
            ):
                found.add(_root(left))
    return frozenset(found)


def _root(node: gast.AST) -> str:
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else ""


class _Marking:
    """Marks elements in the statements of a function.

    Args:
      b: the builder.
      asked: the variables whose elements or attributes may be None.
    """

    def __init__(self, b: Builder, asked: frozenset[str]):
        self.b, self.asked = b, asked

    def body(
        self, nodes: Sequence[gast.stmt], known: Sequence[Element]
    ) -> tuple[list[gast.stmt], list[Element] | None]:
        """Statements in which elements are marked, as long as nothing may have changed them.

        Returns:
          The statements, and what is known at their end; None where that is not reached.
        """
        known, found = [dataclasses.replace(x) for x in known], list[gast.stmt]()
        for k, node in enumerate(nodes):
            new, after = self.statement(node, known)
            found.append(new)
            if after is None:
                return [*found, *nodes[k + 1 :]], None
            known = after
        return found, known

    def statement(
        self, node: gast.stmt, known: list[Element]
    ) -> tuple[gast.stmt, list[Element] | None]:
        """The same of one."""
        match node:
            case gast.If():
                return self._if(node, known)
            case gast.While() | gast.For():
                return self._loop(node, known)
            case gast.With() | gast.Try() | gast.Match():
                return self._compound(node), []
        old = node
        if isinstance(node, SIMPLE) and getattr(node, "value", None) is not None:
            node = replaced(node, value=marked(self.b, node.value, known))
        if isinstance(node, _LEAVE):
            return node, None
        after = unchanged(self.b, old, known)
        if isinstance(node, gast.Assign):
            node = copy.copy(node)  # its value may be kept in a witness
            element = self._assigned(node)
            after += [element] if element is not None else []
        return node, after

    def _if(self, node: gast.If, known: list[Element]) -> tuple[gast.stmt, list[Element] | None]:
        test = marked(self.b, node.test, known)
        known = [element for element in known if not element.changed]
        then, after = self.body(node.body, [*known, *not_none(self.b, node.test, True)])
        orelse, otherwise = self.body(node.orelse, [*known, *not_none(self.b, node.test, False)])
        node = replaced(node, test=test, body=then, orelse=orelse)
        if after is None or otherwise is None:
            return node, otherwise if after is None else after
        return node, _joined(self.b, [(then, after), (orelse, otherwise)])

    def _loop(
        self, node: gast.While | gast.For, known: list[Element]
    ) -> tuple[gast.stmt, list[Element]]:
        known = unchanged(self.b, node, known)
        asked = not_none(self.b, node.test, True) if isinstance(node, gast.While) else []
        return replaced(node, body=self.body(node.body, [*known, *asked])[0]), known

    def _compound(self, node: gast.stmt) -> gast.stmt:
        """A statement of which anything may happen in, and behind, each part."""
        node = copy.copy(node)
        for name, field in gast.iter_fields(node):
            if not isinstance(field, list) or not field:
                continue
            if isinstance(field[0], gast.stmt):
                setattr(node, name, self.body(field, [])[0])
            elif hasattr(field[0], "body"):  # the handlers of `try`, the cases of `match`
                setattr(node, name, [replaced(x, body=self.body(x.body, [])[0]) for x in field])
        return node

    def _assigned(self, node: gast.Assign) -> Element | None:
        """The element that an assignment makes another one; None where it may be None."""
        match node:
            case gast.Assign(targets=[gast.Subscript() | gast.Attribute() as target], value=value):
                if not is_plain(target) or _root(target) not in self.asked:
                    return None
            case _:
                return None
        if isinstance(value, gast.Name) and not self.b.is_builtin(value.id):
            return element_of(target, lambda: value.id, [value.id])
        if isinstance(value, gast.Constant):
            return None if value.value is None else element_of(target, lambda: "")
        if isinstance(value, _NEVER_NONE):
            return element_of(target, lambda: "")
        element = element_of(target, lambda: _kept(self.b, node, element))
        return element


# --- What is assigned -----------------------------------------------------------------------------


def _kept(b: Builder, node: gast.Assign, element: Element) -> ir.Variable:
    """Keep what is assigned in the variable of the element."""
    variable, value = b.witness(element.text), node.value
    if not (isinstance(value, gast.NamedExpr) and value.target.id == variable):
        node.value = gast.copy_location(gast.NamedExpr(_store(variable, node), value), node)
    return variable


def _store(variable: ir.Variable, like: gast.AST) -> gast.Name:
    return gast.copy_location(gast.Name(variable, gast.Store(), None, None), like)


# --- Where paths meet -----------------------------------------------------------------------------


def _joined(b: Builder, paths: Sequence[tuple[list[gast.stmt], list[Element]]]) -> list[Element]:
    """What is known where two paths meet: of which elements both know.

    Args:
      b: the builder.
      paths: the statements of each, and what is known at their end.
    """
    (_, first), (_, second) = paths
    others = {element.text: element for element in second}
    return [_of_both(b, paths, x, others[x.text]) for x in first if x.text in others]


def _of_both(
    b: Builder,
    paths: Sequence[tuple[list[gast.stmt], list[Element]]],
    one: Element,
    other: Element,
) -> Element:
    def witness() -> ir.Variable:
        found = [element.witness() for element in (one, other)]
        if found[0] == found[1]:
            return found[0]
        variable = b.witness(one.text)
        for (statements, _), own in zip(paths, found, strict=True):
            if own != variable:
                read = mark(one.node, own)
                made = gast.Assign([_store(variable, one.node)], read, None)
                statements.append(gast.copy_location(made, one.node))
        return variable

    return Element(one.node, one.text, one.names | other.names, witness)
