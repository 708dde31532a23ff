"""Calls of generator functions whose statements can stand in the place of a loop over them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import gast

from pcbatch.errors import ProgramError
from pcbatch.frontend import scope, source
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_definitions import is_recursive
from pcbatch.frontend.names import is_installed_module
from pcbatch.frontend.nodes import module_call
from pcbatch.frontend.own_nodes import yields
from pcbatch.frontend.runtime_names import GENERATED
from pcbatch.frontend.source import Source
from pcbatch.semantics.static_values import Method

MOST_YIELDS = 4
"""So many `yield` may a generator have, behind each of which the loop's body is lowered."""


class GeneratorCall(NamedTuple):
    """A call of a generator function.

    Attributes:
      name: of the function.
      source: of it.
      arguments: by parameter, the expressions.
    """

    name: str
    source: Source
    arguments: dict[str, gast.expr]


def is_generator_call(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a generator's call whose statements can stand in a loop.

    One that is kept is asked for its elements there.
    """
    return going(node) is not None or find(b, node) is not None


def going(node: gast.AST) -> gast.expr | None:
    """The kept generator, or iterator, that an expression goes on with; None for another."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="going"), args=[owner]):
            return owner if name == GENERATED else None
    return None


def as_going(owner: gast.expr) -> gast.Call:
    """What goes on with a generator that is kept."""
    return module_call(GENERATED, "going", [owner], owner)


def find(b: Builder, node: gast.AST) -> GeneratorCall | None:
    """The generator function that an expression calls, if it can stand in a loop."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name | gast.Attribute):
        return None
    nested = _nested(b, node.func)
    found = nested or _of_module(b, node.func)
    if found is None or not _is_plain(found.node, nested is not None):
        return None
    if any(_goes_over_groups(b, part) for part in gast.walk(found.node)):
        return None  # another generator stands for `groupby`, see `grouped`
    arguments = arguments_of(found.node, node)
    if arguments is None or is_recursive(b, found.node):
        return None
    return GeneratorCall(found.node.name, found, arguments)


def _goes_over_groups(b: Builder, node: gast.AST) -> bool:
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    return known is not None and known.value is itertools.groupby


def _nested(b: Builder, function: gast.expr) -> Source | None:
    """A generator function that this function defines, once."""
    if not isinstance(function, gast.Name) or function.id not in b.local:
        return None
    for s in (b.source, b.own_source):
        body = getattr(s.node, "body", [])
        if not isinstance(body, list) or scope.binding_counts(body)[function.id] != 1:
            continue
        made = [n for part in body for n in gast.walk(part) if isinstance(n, gast.FunctionDef)]
        found = next((n for n in made if n.name == function.id), None)
        if found is not None and yields(found):
            return Source(found, s.file, s.lines, f"{s.qualname}.<locals>.{found.name}", s.root)
    return None


def _of_module(b: Builder, function: gast.expr) -> Source | None:
    """A generator function of the same module that fails, or may not end, where Python runs it."""
    known = b.callee(function)
    if known is None:
        return None
    fn = _undecorated(known.value)
    if not isinstance(fn, types.FunctionType) or not inspect.isgeneratorfunction(fn):
        return None
    if fn.__globals__ is not b.fn.__globals__ or fn.__code__.co_freevars:
        return None
    try:
        found = source.find(fn)
    except ProgramError:
        return None
    needed = b.calls_program(known) or any(isinstance(n, gast.While) for n in gast.walk(found.node))
    taken = scope.taken_names(found.node)
    hidden = {*b.local, *b.fn.__code__.co_freevars}
    apart = hidden.isdisjoint(taken) and not _follows(b, found.node, taken)
    if not (needed and apart):
        return None
    if fn is not known.value and len(found.node.decorator_list) == 1:  # it is `autobatch`
        bare = copy.copy(found.node)
        bare.decorator_list = []
        return dataclasses.replace(found, node=bare)
    return found


def _undecorated(value: Any) -> Any:
    """The function behind an autobatched one, whose statements are the same."""
    is_one = isinstance(value, Method) and value.owner is None
    return getattr(value, "__wrapped__", None) if is_one else value


def _follows(b: Builder, function: gast.FunctionDef, taken: Sequence[str]) -> bool:
    """Whether a generator reads an attribute of a global object, which may change between calls.

    Which attributes a function reads is found in its own statements (`names.read_values`).
    """
    owners = [n.value for n in gast.walk(function) if isinstance(n, gast.Attribute)]
    read = (b.callee(x) for x in owners if isinstance(x, gast.Name) and x.id in taken)
    return any(known is None or not is_installed_module(known.value) for known in read)


_OTHER = (
    gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef, gast.Nonlocal, gast.Global,
    gast.Try, gast.With, gast.Import, gast.ImportFrom,
)  # fmt: skip
"""What the statements of a generator do not have, for their variables to be renamed."""


def _is_plain(function: gast.FunctionDef, nested: bool) -> bool:
    """Whether the statements of a generator can stand in a loop."""
    statements = [n for s in function.body for n in gast.walk(s)]
    yields = [n for n in statements if isinstance(n, gast.Yield | gast.YieldFrom)]
    alone = [n.value for n in statements if isinstance(n, gast.Expr)]
    return (
        not function.decorator_list
        and len(yields) <= MOST_YIELDS
        and all(any(y is one for one in alone) for y in yields)
        and not any(isinstance(n, _OTHER) for n in statements)
        and not any(isinstance(n, gast.Return) and n.value is not None for n in statements)
    )


def arguments_of(
    function: gast.FunctionDef, call: gast.Call, is_method: bool = False
) -> dict[str, gast.expr] | None:
    """By parameter, what a call gives it; None where it is not plain to see.

    Args:
      function: the generator function.
      call: of it.
      is_method: the first parameter is what the method is of.
    """
    args = function.args
    if args.vararg or args.kwarg or args.posonlyargs or args.kwonlyargs:
        return None
    names = [a.id for a in args.args][is_method:]
    if len(call.args) > len(names) or any(isinstance(a, gast.Starred) for a in call.args):
        return None
    given = dict(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in names or keyword.arg in given:
            return None
        given[keyword.arg] = keyword.value
    for name, default in zip(reversed(names), reversed(args.defaults), strict=False):
        if isinstance(default, gast.Constant):
            given.setdefault(name, default)
    return given if given.keys() == set(names) else None
