"""Functions that a member chooses: `ops[sign](a, b)`, `best = max if n > 3 else min`.

Where a program fails, it is lowered anew with calls of `dispatch.dispatched` in the place of these:
a variable has the key of the function, and the table stands in each call.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.nodes import assigned, module_call
from pcbatch.frontend.runtime_names import DISPATCH
from pcbatch.frontend.ways import Way


def rewrite(b: Builder, way: Way) -> None:
    """Have a function call what a member chooses by `dispatched`.

    Args:
      b: the builder of a function; `b.source.node` is changed.
      way: whether that is wanted.
    """
    node = b.source.node
    change = _Rewrite({name: _choice(b, node, name) for name in _called(node)})
    way.wanted |= any(change.choices.values()) or any(map(_is_looked_up, gast.walk(node)))
    if way.taken:
        change.generic_visit(node)


@dataclasses.dataclass
class _Choice:
    """What a variable may be that is only called.

    Attributes:
      table: has the functions.
      keys: by the identity of an expression that is assigned, what is assigned in its place.
      default: the function for other keys, if there is one.
    """

    table: gast.expr
    keys: dict[int, gast.expr]
    default: gast.expr | None = None


def _called(function: gast.AST) -> set[str]:
    """The variables that are called."""
    calls = (n.func for n in gast.walk(function) if isinstance(n, gast.Call))
    return {func.id for func in calls if isinstance(func, gast.Name)}


def _is_looked_up(node: gast.AST) -> bool:
    """Whether it is a call of what is looked up by a key that may depend on the member."""
    match node:
        case gast.Call(func=func, args=args, keywords=[]) if _got(func) is not None:
            return not any(isinstance(x, gast.Starred) for x in args)
        case gast.Call(func=gast.Subscript(slice=index), args=args, keywords=[]):
            plain = not any(isinstance(x, gast.Starred) for x in args)
            return plain and not isinstance(index, gast.Constant | gast.Slice | gast.Tuple)
    return False


def _got(node: gast.AST) -> tuple[gast.expr, gast.expr, gast.expr] | None:
    """The table, the key and what stands for other keys in `table.get(key, other)`."""
    match node:
        case gast.Call(
            func=gast.Attribute(value=table, attr="get"), args=[key, other], keywords=[]
        ) if not isinstance(key, gast.Constant):
            return table, key, other
    return None


def _choice(b: Builder, function: gast.AST, name: str) -> _Choice | None:
    """What a variable may be; None where something else is done with it."""
    if isinstance(function, gast.Lambda) or name in scope.nested_names(function):
        return None
    if name not in scope.bound_names(function.body) or name in scope.parameters(function.args):
        return None
    pairs = [pair for part in gast.walk(function) for pair in assigned(part)]
    given = [(x, value) for x, value in pairs if isinstance(x, gast.Name) and x.id == name]
    uses = [x for x in gast.walk(function) if isinstance(x, gast.Name) and x.id == name]
    calls = [n for n in gast.walk(function) if isinstance(n, gast.Call) and n.func in uses]
    if len(given) + len(calls) != len(uses) or any(call.keywords for call in calls):
        return None
    choice = _of_given(b, function, given)
    if choice is None or _around(function, calls) & _names_in(choice.table):
        return None
    return choice


def _around(function: gast.AST, calls: list[gast.Call]) -> set[str]:
    """The variables of the comprehensions that calls stand in."""
    outer = (x for x in gast.walk(function) if hasattr(x, "generators"))
    found = [x for x in outer if any(part in calls for part in gast.walk(x))]
    return {name for x in found for part in x.generators for name in _names_in(part.target)}


def _names_in(node: gast.AST) -> set[str]:
    """The names in a target, or in functions, with their parameters."""
    return {x.id for x in gast.walk(node) if isinstance(x, gast.Name)}


def _of_given(
    b: Builder, function: gast.FunctionDef, given: list[tuple[gast.expr, gast.expr]]
) -> _Choice | None:
    """What a variable may be that is assigned some values."""
    match given:
        case [(_, gast.Subscript(value=table, slice=index) as value)]:
            known = isinstance(index, gast.Constant | gast.Slice | gast.Tuple)
            if known or not _is_table(b, function, table):
                return None
            return _Choice(
                table, {id(value): module_call(DISPATCH, "key_of", [table, index], value)}
            )
        case [(_, value)] if (got := _got(value)) is not None:
            table, key, other = got
            if not (_is_table(b, function, table) and _is_function(b, other)):
                return None
            return _Choice(table, {id(value): key}, other)
    return _of_functions(b, [value for _, value in given])


def _is_table(b: Builder, function: gast.FunctionDef, node: gast.expr) -> bool:
    """Whether a table is the same where a variable is called that has been looked up in it."""
    match node:
        case gast.Name(id=name):
            stored = (
                x.value
                for x in gast.walk(function)
                if isinstance(x, gast.Subscript) and not isinstance(x.ctx, gast.Load)
            )
            changed = any(isinstance(x, gast.Name) and x.id == name for x in stored)
            return scope.binding_counts(function.body)[name] <= 1 and not changed
        case gast.Dict(keys=keys, values=values):
            constant = all(isinstance(key, gast.Constant) for key in keys)
            return constant and all(_is_function(b, value) for value in values)
        case gast.Tuple(elts=values) | gast.List(elts=values):
            return all(_is_function(b, value) for value in values)
    return False


def _of_functions(b: Builder, values: list[gast.expr]) -> _Choice | None:
    """What a variable may be that is assigned functions that are named."""
    found: list[gast.expr] = []
    keys: dict[int, gast.expr] = {}
    for value in values:
        parts = list(_parts(value))
        if not all(_is_function(b, part) for part in parts):
            return None
        keys[id(value)] = _numbered(value, iter(range(len(found), len(found) + len(parts))))
        found += parts
    if len(found) < 2:
        return None
    like = values[0]
    return _Choice(gast.copy_location(gast.Tuple(found, gast.Load()), like), keys)


def _parts(node: gast.expr) -> Iterator[gast.expr]:
    """The values of conditional expressions."""
    if isinstance(node, gast.IfExp):
        yield from _parts(node.body)
        yield from _parts(node.orelse)
    else:
        yield node


def _numbered(node: gast.expr, numbers: Iterator[int]) -> gast.expr:
    """The expression with a number in the place of each of its values."""
    if isinstance(node, gast.IfExp):
        body, orelse = _numbered(node.body, numbers), _numbered(node.orelse, numbers)
        return gast.copy_location(gast.IfExp(node.test, body, orelse), node)
    return gast.copy_location(gast.Constant(next(numbers), None), node)


def _nested(b: Builder) -> set[str]:
    """The names of the functions that are defined inside, and are nothing else."""
    body = b.source.node.body
    counts = scope.binding_counts(body)
    return {x.name for x in body if isinstance(x, gast.FunctionDef) and counts[x.name] == 1}


def _is_function(b: Builder, node: gast.expr) -> bool:
    if isinstance(node, gast.Lambda):
        return not (node.args.defaults or node.args.kw_defaults)
    if isinstance(node, gast.Name) and node.id in _nested(b):
        return True
    known = b.callee(node) if isinstance(node, gast.Name | gast.Attribute) else None
    return known is not None and callable(known.value)


class _Rewrite(gast.NodeTransformer):
    def __init__(self, choices: dict[str, _Choice | None]):
        self.choices = choices
        self._keys = {k: x for c in choices.values() if c is not None for k, x in c.keys.items()}

    def visit(self, node: gast.AST) -> gast.AST:
        if id(node) in self._keys:
            return self._keys[id(node)]
        looked_up = _is_looked_up(node)
        node = self.generic_visit(node)
        if looked_up and (got := _got(node.func)) is not None:
            return _dispatched(node, *got)
        if looked_up:
            return _dispatched(node, node.func.value, node.func.slice)
        match node:
            case gast.Call(func=gast.Name(id=name)) if choice := self.choices.get(name):
                found = choice.table, node.func, choice.default
                return _dispatched(node, *copy.deepcopy(found))
        return node


def _dispatched(
    call: gast.Call, table: gast.expr, key: gast.expr, default: gast.expr | None = None
) -> gast.Call:
    if default is not None:
        return module_call(DISPATCH, "dispatched_or", [table, key, default, *call.args], call)
    return module_call(DISPATCH, "dispatched", [table, key, *call.args], call)
