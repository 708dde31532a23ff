"""Ranges of the member that a variable keeps, that are asked, and that are handed on.

A range is no stream: wherever a variable that has one is read it is made anew, from bounds that
variables of their own keep. A range that is handed on, or that is one of several, is a list, and so
is one that a container is made of, or takes in.
"""

from __future__ import annotations

import collections
import copy
from collections.abc import Sequence

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder, runtime_call
from pcbatch.frontend.element_sources import TAKING
from pcbatch.frontend.nodes import assignment, become, constant, read
from pcbatch.frontend.own_nodes import blocks, bound_once, own_nodes, reads_of
from pcbatch.frontend.runtime_names import RANGES


def rewrite(b: Builder) -> None:
    """Put kept ranges where they are read, and have others be asked, or be lists.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    function = b.source.node
    if isinstance(function.body, list):
        once = bound_once(function)
        for block in list(blocks(function.body)):
            _apart(b, block)
            _in_block(b, block, once)
    for node in list(own_nodes(function)):
        _asked(b, node)
        _handed_on(b, node)


def may_be_users(b: Builder, function: gast.expr) -> bool:
    """Whether a function that is called may be the user's."""
    known = b.callee(function)
    if known is not None:
        return b.calls_program(known)
    return isinstance(function, gast.Name) and function.id in b.local


def _apart(b: Builder, block: list[gast.stmt]) -> None:
    """Have each range that is assigned beside others a statement of its own."""
    place = 0
    while place < len(block):
        match block[place]:
            case gast.Assign(targets=[gast.Tuple(elts=names)], value=gast.Tuple(elts=values)) if (
                len(names) == len(values) and any(b.is_builtin_call(v, "range") for v in values)
                and all(isinstance(name, gast.Name) for name in names)
                and {name.id for name in names}.isdisjoint(scope.free_names(block[place].value))
            ):  # fmt: skip
                pairs = zip(names, values, strict=True)
                block[place : place + 1] = [assignment(name.id, value) for name, value in pairs]
        place += 1


def _in_block(b: Builder, block: list[gast.stmt], once: frozenset[str]) -> None:
    place = 0
    while place < len(block):
        match block[place]:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in once:
                if _is_of_member(b, value) and _keeps_bounds(b, name, value, block[place + 1 :]):
                    block[place : place + 1] = _made_anew(b, name, value)
        place += 1


def _is_of_member(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a range that may be the member's."""
    if not b.is_builtin_call(node, "range") or node.keywords:
        return False
    plain = all(map(_is_plain, node.args))
    return not plain and not any(isinstance(a, gast.Starred) for a in node.args)


def _is_plain(bound: gast.expr) -> bool:
    return isinstance(bound, gast.Constant | gast.UnaryOp)


def _keeps_bounds(b: Builder, name: str, node: gast.Call, rest: Sequence[gast.stmt]) -> bool:
    """Whether a range is made without fail, and its variable is read behind it and nowhere else."""
    body = b.source.node.body
    functions = [n for s in body for n in gast.walk(s) if isinstance(n, scope.FUNCTIONS)]
    later = set(map(id, reads_of(name, functions)))
    behind = set(map(id, reads_of(name, rest)))
    return all(map(_is_plain, node.args[2:])) and behind - later == {
        id(n) for n in reads_of(name, body)
    }


def _made_anew(b: Builder, name: str, node: gast.Call) -> list[gast.stmt]:
    """Bounds in variables, and a range of them at each place that reads the variable."""
    bounds = [b.flow.temporary() for _ in node.args]
    for found in reads_of(name, b.source.node.body):
        become(found, gast.Call(read("range", found), [read(x, found) for x in bounds], []))
    return [assignment(x, a) for x, a in zip(bounds, node.args, strict=True)]


def _asked(b: Builder, node: gast.AST) -> None:
    """Have a range be asked without a list of its elements."""
    match node:
        case gast.Compare(left=x, ops=[gast.In() | gast.NotIn() as op], comparators=[made]) if (
            _is_of_member(b, made)
        ):
            found: gast.expr = runtime_call(node, "in_range", [x, *_bounds(made)], RANGES)
            if isinstance(op, gast.NotIn):
                found = gast.UnaryOp(gast.Not(), found)
            become(node, found)
        case gast.Subscript(value=made, slice=index) if _is_of_member(b, made) and not isinstance(
            index, gast.Slice
        ):
            become(node, runtime_call(node, "item_of_range", [index, *_bounds(made)], RANGES))


def _bounds(node: gast.Call) -> list[gast.expr]:
    """The start, the stop and the step of a range."""
    start, one = constant(0, node), constant(1, node)
    by_count = {1: [start, *node.args, one], 2: [*node.args, one]}
    return by_count.get(len(node.args), node.args)


def _handed_on(b: Builder, node: gast.AST) -> None:
    """Have a list stand for a range of the member's that is handed on, or kept."""
    match node:
        case gast.Assign(value=made) | gast.Return(value=made):
            found = [made]
        case gast.IfExp(body=one, orelse=other):
            both = any(_is_of_member(b, x) for x in (one, other))
            found = [x for x in (one, other) if both and b.is_builtin_call(x, "range")]
            _be_lists(found)
            return
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            found = elements
        case gast.Call(func=f, args=args) if may_be_users(b, f) or _takes_lists(b, f):
            found = args
        case gast.Starred(value=made):
            found = [made]
        case _:
            return
    _be_lists([made for made in found if _is_of_member(b, made)])


_TAKING = (tuple, sorted, collections.Counter, collections.deque)
"""Functions to which a list is as good as a range; others of the kind are loops over it."""


def _takes_lists(b: Builder, function: gast.expr) -> bool:
    """Whether a function takes the elements of what it is given, and is no loop over it."""
    if isinstance(function, gast.Attribute) and function.attr in TAKING:
        return True
    known = b.callee(function)
    return known is not None and any(known.value is f for f in _TAKING)


def _be_lists(ranges: Sequence[gast.expr]) -> None:
    for made in ranges:
        become(made, gast.Call(read("list", made), [copy.copy(made)], []))
