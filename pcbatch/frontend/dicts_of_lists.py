"""Dicts whose values are lists: they become objects of a class of the prelude.

A dict of the member's keeps numbers, texts and tuples. Where a function fails with that, and makes
dicts that it puts lists into, it is lowered anew, with `prelude.DictOfLists` in their place.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterator

import gast

from pcbatch.frontend.every_container import EveryContainer
from pcbatch.frontend.inner_containers import InnerContainers
from pcbatch.frontend.made_containers import Rewrite
from pcbatch.frontend.names import KnownValue
from pcbatch.frontend.nodes import assigned, method_call, module_call, read
from pcbatch.frontend.runtime_names import PRELUDE
from pcbatch.frontend.source import Source, unparse
from pcbatch.frontend.wanted_dicts import Dicts

IsBuiltin = Callable[[str], bool]
Callee = Callable[[gast.AST], KnownValue | None]


class _Find:
    """Finds the dicts of a function that lists are put into.

    Args:
      text: of the file, which has the other methods of a class.
      is_builtin: whether a name means one of Python's builtins.
      callee: what a function that is called is, where that is known.
    """

    def __init__(self, text: str, is_builtin: IsBuiltin, callee: Callee):
        self.text, self.is_builtin, self.callee = text, is_builtin, callee
        self.lists: set[str] = set()
        self.filled: set[str] = set()

    def of(self, node: gast.AST) -> Iterator[gast.expr]:
        """The expressions that make such dicts."""
        parts = list(gast.walk(node))
        given = [(value, _name(target)) for part in parts for target, value in assigned(part)]
        self.lists = {name for value, name in given if name and self._is_list(value)}
        self.filled = set(filter(None, map(self.filled_by, parts)))
        if any(name.startswith(".") for _, name in given):
            self.filled |= _filled_attributes(self.text)
        named = {id(value): name for value, name in given}
        for part in parts:
            if self._is_dict(part, named.get(id(part), "")):
                yield part

    def _is_dict(self, node: gast.AST, name: str) -> bool:
        match node:
            case gast.DictComp(value=value):
                return self._is_list(value)
            case gast.Dict(keys=keys, values=values):
                if not values:
                    return name in self.filled
                return all(keys) and (any(map(self._is_list, values)) or name in self.filled)
            case gast.Call(func=gast.Name(id="dict"), args=[]) if self.is_builtin("dict"):
                return name in self.filled
            case gast.Call(func=function, args=[given]):
                known = self.callee(function)
                is_default = known is not None and known.value is collections.defaultdict
                return is_default and (_is_named(given, "list") or self._makes_list(given))
        return False

    def _makes_list(self, function: gast.AST) -> bool:
        return isinstance(function, gast.Lambda) and self._is_list(function.body)

    def filled_by(self, node: gast.AST) -> str:
        """The name of a dict that a statement puts a list into."""
        match node:
            case gast.Assign(targets=[gast.Subscript(value=owner)], value=value):
                return _name(owner) if self._is_list(value) else ""
            case gast.AugAssign(target=gast.Subscript(value=owner), value=value):
                return _name(owner) if self._is_list(value) else ""
            case gast.Call(func=gast.Attribute(value=owner, attr="setdefault"), args=[_, value]):
                return _name(owner) if self._is_list(value) else ""
            case gast.Call(
                func=gast.Attribute(
                    value=gast.Subscript(value=owner), attr="append" | "extend" | "insert"
                )
            ):
                return _name(owner)
        return ""

    def _is_list(self, node: gast.AST) -> bool:
        """Whether an expression makes a list, as far as can be seen."""
        match node:
            case gast.List() | gast.ListComp():
                return True
            case gast.Name(id=name):
                return name in self.lists
            case gast.Subscript(slice=gast.Slice()):
                return True
            case gast.BinOp(left=left, right=right):
                return self._is_list(left) or self._is_list(right)
            case gast.Call(func=gast.Name(id="list" | "sorted" as name)):
                return self.is_builtin(name)
        return False


@functools.lru_cache(maxsize=64)
def _filled_attributes(text: str) -> frozenset[str]:
    """The attributes that some statement of a file puts a list into."""
    try:
        parts = list(gast.walk(gast.parse(text)))
    except SyntaxError:
        return frozenset()
    find = _Find(text, lambda _: True, lambda _: None)
    return frozenset(name for name in map(find.filled_by, parts) if name.startswith("."))


def _name(node: gast.AST) -> str:
    match node:
        case gast.Name(id=name):
            return name
        case gast.Attribute(attr=name):
            return f".{name}"
    return ""


class _Rewrite(gast.NodeTransformer):
    """Has objects of the prelude made in the place of dicts of lists.

    Args:
      found: the identities of the expressions that make them.
      tables: the names of the variables that have them.
      is_builtin: whether a name means one of Python's builtins.
    """

    def __init__(self, found: set[int], tables: set[str], is_builtin: IsBuiltin):
        self.found, self.tables, self.is_builtin = found, tables, is_builtin

    def visit(self, node: gast.AST) -> gast.AST:
        is_one = id(node) in self.found
        node = self.generic_visit(node)
        match node:
            case _ if is_one:
                return _made(node)
            case gast.Assign(
                targets=[gast.Subscript(value=owner, slice=key)],
                value=gast.Call(
                    func=gast.Attribute(value=other, attr="get"), args=[again, default]
                ),
            ) if _name(owner) in self.tables and _is_empty_get(owner, key, other, again, default):
                # `d[k] = d.get(k, [])`
                set_default = gast.Attribute(other, "setdefault", gast.Load())
                node.value.func = gast.copy_location(set_default, node.value.func)
                return gast.copy_location(gast.Expr(node.value), node)
            case gast.Call(
                func=gast.Name(id="dict"), args=[gast.Name(id=name) as whole], keywords=[]
            ) if name in self.tables and self.is_builtin("dict"):
                return _as_dict(node, whole)
            case gast.Dict(keys=[None], values=[gast.Name(id=name) as whole]) if (
                name in self.tables
            ):
                return _as_dict(node, whole)
            case gast.Call(
                func=gast.Name(id="list"),
                args=[gast.Call(func=gast.Attribute(attr="values"), args=[]) as values],
            ) if self.is_builtin("list"):
                return _listed(node, values)
        return node


def _same(a: gast.expr, b: gast.expr) -> bool:
    """Whether two expressions are the same text, which calls nothing."""
    plain = not any(isinstance(x, gast.Call) for x in gast.walk(a))
    return plain and unparse(a) == unparse(b)


def _is_empty_get(
    owner: gast.expr, key: gast.expr, other: gast.expr, again: gast.expr, default: gast.expr
) -> bool:
    """Whether `owner[key]` is assigned what `other.get(again, default)` gives, of the same list."""
    return isinstance(default, gast.List) and _same(owner, other) and _same(key, again)


def _as_dict(node: gast.expr, whole: gast.expr) -> gast.Call:
    """A dict that has the lists of another one."""
    return method_call(whole, "as_dict", [], node)


def rewrite(
    source: Source, is_builtin: IsBuiltin, callee: Callee, dicts: Dicts, is_called: bool
) -> None:
    """Have a function make objects of the prelude in the place of dicts of lists.

    Args:
      source: the function, which is changed.
      is_builtin: whether a name means one of Python's builtins.
      callee: what a function that is called is, where that is known.
      dicts: which objects are wanted.
      is_called: another function calls it.
    """
    node = source.node
    inner = InnerContainers(node, is_builtin, callee)
    dicts.inner |= inner.kinds()
    every = [
        EveryContainer(node, is_builtin, callee, known, is_called)
        for known in (dicts.every[0], None)
    ]
    for one, kinds in zip(every, dicts.every, strict=True):
        kinds |= one.kinds()
    if dicts.on_heap:
        wanted = every[dicts.level - 1] if dicts.level else inner
        Rewrite(wanted, dicts.apart).generic_visit(node)
    found = list(_Find("".join(source.lines), is_builtin, callee).of(node))
    dicts.wanted |= set(map(_kind, found))
    dicts.needed |= any(_kind(one) != "DictOfLists" for one in found)
    if dicts.kinds:
        marked = set(map(id, found))
        given = (pair for part in gast.walk(node) for pair in assigned(part))
        tables = {_name(target) for target, value in given if id(value) in marked}
        _Rewrite(marked, tables, is_builtin).generic_visit(node)


def _made(node: gast.expr) -> gast.expr:
    if isinstance(node, gast.DictComp):
        node.start = _call(node, "DictOfLists")
        return node
    made = _call(node, _kind(node))
    if isinstance(node, gast.Call):
        return made
    for key, value in zip(node.keys, node.values, strict=True):
        made = method_call(made, "with_pair", [key, value], node)
    return made


def _kind(node: gast.expr) -> str:
    if not isinstance(node, gast.Call) or not node.args:
        return "DictOfLists"
    return "DefaultDictOfLists" if _is_named(node.args[0], "list") else "DefaultDictOfMade"


def _is_named(node: gast.AST, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _listed(node: gast.expr, values: gast.expr) -> gast.expr:
    """`[row for row in table.values()]`, which a loop can make."""
    name = read("row", node)
    target = gast.copy_location(gast.Name("row", gast.Store(), None, None), node)
    made = gast.ListComp(name, [gast.comprehension(target, values, [], 0)])
    return gast.copy_location(made, node)


def _call(node: gast.expr, kind: str) -> gast.Call:
    given = gast.copy_location(gast.Attribute(read(PRELUDE, node), kind, gast.Load()), node)
    missing = node.args if kind == "DefaultDictOfMade" else []
    return module_call(PRELUDE, "made", [given, *missing], node)
