"""Lists of lists whose rows several lists have: they become objects of `row_lists.RowList`.

A list of lists of the member's holds its rows itself. Where a function fails with that, it is
lowered anew: its rows lie in one list, and its lists of lists have their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from pcbatch.frontend.nodes import assignment, method_call, module_call, read
from pcbatch.frontend.row_kinds import ROW, ROWS, IsBuiltin, RowKinds
from pcbatch.frontend.runtime_names import ROW_LISTS
from pcbatch.frontend.source import Source
from pcbatch.frontend.ways import Way


def rewrite(
    source: Source, is_builtin: IsBuiltin, shared: Way, given: Sequence[str]
) -> frozenset[str]:
    """Have a function make objects of `RowList` in the place of lists of lists.

    Args:
      source: the function.
      is_builtin: whether a name means one of Python's builtins.
      shared: whether it is to.
      given: its parameters, and what it has captured.

    Returns:
      The variables that it has then, beside its own.
    """
    node = source.node
    kinds = RowKinds(is_builtin)
    while kinds.learn(node):
        pass
    shared.wanted |= ROWS in kinds.names.values()
    if not shared.taken or not isinstance(node, gast.FunctionDef):
        return frozenset()
    kinds.group(node)
    change = _Rewrite(kinds)
    change.visit_body(node)
    node.body[:0] = change.beginning(node, given)
    return frozenset((*map(_rows, change.used), *change.taken))


class _Rewrite(gast.NodeTransformer):
    def __init__(self, kinds: RowKinds):
        self.kinds = kinds
        self.used = dict[str, None]()
        self.group = ""
        self.taken = list[str]()

    def visit_body(self, node: gast.FunctionDef) -> None:
        """Change the statements of a function."""
        whole = gast.If(None, node.body, [])
        self.generic_visit(whole)
        node.body = whole.body

    def beginning(self, node: gast.FunctionDef, given: Sequence[str]) -> list[gast.stmt]:
        """The statements that make the lists in which the rows lie."""
        given = [name for name in given if self.kinds.names.get(name) == ROWS]
        made = list[gast.stmt]()
        for group in self.used:
            own = next((name for name in given if self.kinds.first(name) == group), "")
            made.append(assignment(_rows(group), gast.List([], gast.Load()), node))
            if own:
                test = _called("is_shared", [read(own, node)], node)
                found = _called("rows_of", [read(own, node)], node)
                made.append(_at(gast.If(test, [assignment(_rows(group), found, node)], []), node))
        return made

    def visit(self, node: gast.AST) -> gast.AST:
        before = self.group
        if isinstance(node, gast.stmt | gast.comprehension):
            self.group = self.kinds.group_of(node) or before
        match node:
            case gast.Assign(targets=[gast.Tuple(elts=targets)], value=gast.Tuple(elts=values)) if (
                _are_exchanged(targets, values)
            ):
                found = self._exchange(targets, values)
            case gast.Assign(targets=[target], value=value):
                node.targets = [self.generic_visit(target)]
                node.value, found = self._given(target, value), node
            case gast.AnnAssign(target=target, value=value) if value is not None:
                node.value, found = self._given(target, value), node
            case gast.FunctionDef() | gast.Lambda():  # lowered on their own
                found = node
            case gast.Delete(targets=[gast.Subscript(value=owner, slice=index)]) if self.kinds.of(
                owner
            ) == ROWS and not isinstance(index, gast.Slice):
                call = method_call(self.visit(owner), "taken_away", [self.visit(index)], node)
                found = _at(gast.Expr(call), node)
            case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
                with self.kinds.within(node):
                    found = self._comprehension(node)
            case gast.expr():
                found = self._expression(node)
            case _:
                found = self.generic_visit(node)
        self.group = before
        return found

    def _exchange(self, targets: list[gast.expr], values: list[gast.expr]) -> list[gast.stmt]:
        """The statements by which elements change places: a row stays the one that it is."""
        names = [f"__taken_{len(self.taken) + k}__" for k in range(len(values))]
        self.taken += names
        pairs = zip(targets, values, names, strict=True)
        made = [(target, self.visit(value), name) for target, value, name in pairs]
        first = [assignment(name, value, value) for _, value, name in made]
        stores = [(self.generic_visit(target), name) for target, _, name in made]
        return first + [_at(gast.Assign([t], read(n, t), None), t) for t, n in stores]

    def _given(self, target: gast.AST, value: gast.expr) -> gast.AST:
        """What is assigned to a name, or to several."""
        match target, value:
            case gast.Name(id=name), _:
                return self._given_to(self.kinds.names.get(name), value)
            case gast.Tuple(elts=targets), gast.Tuple(elts=values) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                value.elts = [self._given(one, own) for one, own in pairs]
                return value
            case gast.Subscript(value=owner, slice=index), _ if _is_empty(value):
                is_row = self.kinds.of(owner) == ROWS and not isinstance(index, gast.Slice)
                return value if is_row else self.visit(value)
        return self.visit(value)

    def _given_to(self, kind: str | None, value: gast.expr) -> gast.AST:
        if kind == ROWS and _is_empty(value):
            return self._made(value)
        if kind == ROW and _makes(value) and self.kinds.of(value) in (ROW, ""):
            return _called("placed", [self._pool(value), self.visit(value)], value)
        return self.visit(value)

    def _comprehension(self, node: gast.expr) -> gast.AST:
        makes = isinstance(node, gast.ListComp) and self.kinds.of(node.elt) == ROW
        found = self.generic_visit(node)
        if makes:
            found.start = self._made(node)
        return found

    def _expression(self, node: gast.expr) -> gast.AST:
        if self.kinds.of(node) != ROWS or isinstance(node, gast.Name | gast.IfExp):
            return self.generic_visit(node)
        match node:
            case gast.List(elts=elements):
                made: gast.AST = self._made(node)
                for e in elements:
                    is_all = isinstance(e, gast.Starred)
                    own = self.visit(e.value if is_all else e)
                    made = method_call(made, "with_all" if is_all else "with_row", [own], node)
                return made
            case gast.Subscript(value=owner, slice=gast.Slice(lower=low, upper=high, step=step)):
                bounds = [
                    self.visit(x) if x is not None else _none(node) for x in (low, high, step)
                ]
                return method_call(self.visit(owner), "sliced", bounds, node)
            case gast.BinOp(op=gast.Add(), left=left, right=right):
                return method_call(self.visit(left), "joined", [self.visit(right)], node)
            case gast.Call(func=gast.Name(id="list"), args=[given], keywords=[]):
                return method_call(self.visit(given), "copy", [], node)
            case gast.Call(func=gast.Name(id="sorted"), args=[given]):
                return self._ordered(node, given)
            case gast.Call(func=gast.Name(id="reversed"), args=[given]):
                bounds = [_none(node), _none(node), _at(gast.Constant(-1, None), node)]
                return method_call(self.visit(given), "sliced", bounds, node)
        return self.generic_visit(node)

    def _ordered(self, node: gast.Call, given: gast.expr) -> gast.AST:
        named = {keyword.arg: self.visit(keyword.value) for keyword in node.keywords}
        turned = named.pop("reverse", _at(gast.Constant(False, None), node))
        key = named.pop("key", None)
        if key is None:
            return method_call(self.visit(given), "ordered", [turned], node)
        return method_call(self.visit(given), "ordered_by", [key, turned], node)

    def _made(self, node: gast.AST) -> gast.Call:
        """A list of lists without rows."""
        return _called("RowList", [self._pool(node), _at(gast.List([], gast.Load()), node)], node)

    def _pool(self, node: gast.AST) -> gast.Name:
        self.used[self.group] = None
        return read(_rows(self.group), node)


def _rows(group: str) -> str:
    return f"__rows_{group}__"


def _are_exchanged(targets: list[gast.expr], values: list[gast.expr]) -> bool:
    """Whether elements change places."""
    both = [*targets, *values]
    return len(targets) == len(values) and all(isinstance(x, gast.Subscript) for x in both)


def _is_empty(node: gast.AST) -> bool:
    match node:
        case gast.List(elts=[]) | gast.Call(func=gast.Name(id="list"), args=[], keywords=[]):
            return True
    return False


def _makes(node: gast.AST) -> bool:
    """Whether an expression makes a new list."""
    match node:
        case gast.List() | gast.ListComp() | gast.BinOp() | gast.Subscript(slice=gast.Slice()):
            return True
        case gast.Call(func=gast.Name(id="list" | "sorted")):
            return True
        case gast.Call(func=gast.Attribute(attr="copy"), args=[]):
            return True
    return False


def _at(node: gast.AST, place: gast.AST) -> gast.AST:
    return gast.copy_location(node, place)


def _none(place: gast.AST) -> gast.AST:
    return _at(gast.Constant(None, None), place)


def _called(name: str, args: list[gast.AST], place: gast.AST) -> gast.Call:
    return module_call(ROW_LISTS, name, args, place)
