"""Streams and ranges that a variable keeps: `squares = (x * x for x in xs)`, `steps = range(1, n)`.

What makes elements one by one is used up where it is read. A stream that is read at one place takes
that place, if nothing in between can change what it reads. A range is no stream: wherever its
variable is read it is made anew, from bounds that variables of their own keep. Other generator
expressions that are kept are refused: they would see what changes until they are read, and be empty
when they are read again.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder, runtime_call
from pcbatch.frontend.element_sources import STREAMS
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.runtime_names import RANGES

_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def rewrite(b: Builder) -> None:
    """Put kept streams and ranges where they are read, in the statements of a function.

    Args:
      b: its builder; `b.source.node` is changed.
    """
    body = b.source.node.body
    if not isinstance(body, list):
        return
    counts = scope.binding_counts(body)
    once = {name for name in counts if counts[name] == 1} - set(
        scope.parameters(b.source.node.args)
    )
    for block in list(_blocks(body)):
        _apart(b, block)
        _in_block(b, block, once)
    for node in [n for statement in body for n in gast.walk(statement)]:
        _refuse(b, node)
        _asked(b, node)
        _listed(b, node)
        _beside(b, node)


def _blocks(body: list[gast.stmt]) -> Iterator[list[gast.stmt]]:
    """Lists of statements, the inner ones too, but for those of functions and classes."""
    yield body
    for statement in body:
        if not isinstance(statement, (*scope.FUNCTIONS, gast.ClassDef)):
            for field in _BLOCKS:
                inner = getattr(statement, field, None)
                if isinstance(inner, list) and inner:
                    yield from _blocks(inner)


def _in_block(b: Builder, block: list[gast.stmt], once: set[str]) -> None:
    place = 0
    while place < len(block):
        match block[place]:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in once:
                if b.is_builtin_call(value, "range") and _is_member(value):
                    block[place : place + 1] = _ranged(b, name, value)
                elif _is_stream(b, value) and _moved(b, name, value, block[place + 1 :]):
                    del block[place]
                    continue
        place += 1


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
                block[place : place + 1] = [_assignment(name.id, value) for name, value in pairs]
        place += 1


def _is_member(node: gast.Call) -> bool:
    """Whether a range may be the member's."""
    plain = all(isinstance(a, gast.Constant | gast.UnaryOp) for a in node.args)
    return not plain and not any(isinstance(a, gast.Starred) for a in node.args)


def _ranged(b: Builder, name: str, node: gast.Call) -> list[gast.stmt]:
    """Bounds in variables, and a range of them at each place that reads the variable."""
    body = b.source.node.body
    reads = [n for s in body for n in gast.walk(s) if _reads(n, name)]
    if any(id(n) in _inner(body) for n in reads):
        return [_assignment(name, node)]
    bounds = [b.flow.temporary() for _ in node.args]
    for found in reads:
        made = gast.Call(read("range", found), [read(x, found) for x in bounds], [])
        _become(found, made)
    return [_assignment(x, a) for x, a in zip(bounds, node.args, strict=True)]


def _assignment(name: str, value: gast.expr) -> gast.stmt:
    target = read(name, value)
    target.ctx = gast.Store()
    return gast.copy_location(gast.Assign([target], value, None), value)


def _inner(body: Sequence[gast.stmt]) -> set[int]:
    """The nodes inside of nested functions, which see a variable later."""
    functions = [n for s in body for n in gast.walk(s) if isinstance(n, scope.FUNCTIONS)]
    return {id(n) for function in functions for n in gast.walk(function)}


def _reads(node: gast.AST, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load)


def _become(node: gast.AST, other: gast.expr) -> None:
    """Have a node be another one, which stands where the node stood."""
    gast.copy_location(other, node)
    node.__class__ = type(other)
    vars(node).clear()
    vars(node).update(vars(other))


def _is_stream(b: Builder, node: gast.expr) -> bool:
    if isinstance(node, gast.GeneratorExp) or is_generator_call(b, node):
        return True
    return any(b.is_builtin_call(node, name) for name in {*STREAMS, "iter"} - {"range"})


def _moved(b: Builder, name: str, value: gast.expr, rest: Sequence[gast.stmt]) -> bool:
    """Put a stream where its variable is read, if it is read once and sees the same there."""
    whole = [n for s in b.source.node.body for n in gast.walk(s) if _reads(n, name)]
    taken = set(scope.free_names(value))
    for statement in rest:
        found = [n for part in _heads(statement) for n in _evaluated_once(part) if _reads(n, name)]
        if found:
            if len(whole) != 1 or not _is_still(b, _heads(statement), taken):
                return False
            _become(found[0], copy.deepcopy(value))
            return True
        if not _is_still(b, [statement], taken):
            return False
    return False


def _heads(statement: gast.stmt) -> list[gast.AST]:
    """What a statement evaluates first, and once."""
    match statement:
        case gast.For(iter=head) | gast.If(test=head):
            return [head]
        case gast.Assign() | gast.AugAssign() | gast.AnnAssign() | gast.Expr() | gast.Return():
            return [statement]
    return []


def _evaluated_once(node: gast.AST) -> Iterator[gast.AST]:
    """The parts of an expression that are evaluated once, at most."""
    if isinstance(node, scope.FUNCTIONS):
        return
    yield node
    if isinstance(node, scope.COMPREHENSIONS):
        yield from _evaluated_once(node.generators[0].iter)
        return
    for part in gast.iter_child_nodes(node):
        yield from _evaluated_once(part)


def _is_still(b: Builder, nodes: Sequence[gast.AST], taken: set[str]) -> bool:
    """Whether nothing here can change what some names mean, or what is in it."""
    for node in (part for whole in nodes for part in gast.walk(whole)):
        match node:
            case gast.Call(func=gast.Name(id=name)) if b.is_builtin(name):
                continue
            case gast.Call(func=gast.Attribute(value=gast.Constant())):  # ", ".join(stream)
                continue
            case gast.Call() | gast.NamedExpr() | gast.Yield() | gast.YieldFrom():
                return False
            case gast.Subscript(ctx=ctx) | gast.Attribute(ctx=ctx):
                if not isinstance(ctx, gast.Load):
                    return False
            case gast.Name(id=name, ctx=ctx) if name in taken:
                if not isinstance(ctx, gast.Load):
                    return False
    return True


def _refuse(b: Builder, node: gast.AST) -> None:
    """Refuse the generator expressions that a node keeps."""
    match node:
        case gast.Assign(targets=[*targets], value=gast.GeneratorExp() as made):
            keeps = any(isinstance(t, gast.Name | gast.Attribute | gast.Subscript) for t in targets)
            found = [made] if keeps else []
        case gast.AnnAssign(value=made) | gast.NamedExpr(value=made) | gast.Return(value=made):
            found = [made]
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            found = elements
        case gast.Call(func=function, args=args) if _is_program(b, function):
            found = args
        case _:
            found = []
    for made in found:
        if isinstance(made, gast.GeneratorExp):
            _become(made, runtime_call(made, "kept_generator", []))


def _asked(b: Builder, node: gast.AST) -> None:
    """Have a range be asked without a list of its elements."""
    match node:
        case gast.Compare(left=x, ops=[gast.In() | gast.NotIn() as op], comparators=[made]) if (
            _is_of_member(b, made)
        ):
            found: gast.expr = _called("in_range", node, [x, *_bounds(made)])
            if isinstance(op, gast.NotIn):
                found = gast.UnaryOp(gast.Not(), found)
            _become(node, found)
        case gast.Subscript(value=made, slice=index) if _is_of_member(b, made) and not isinstance(
            index, gast.Slice
        ):
            _become(node, _called("item_of_range", node, [index, *_bounds(made)]))


def _called(name: str, node: gast.expr, arguments: list[gast.expr]) -> gast.Call:
    return runtime_call(node, name, arguments, RANGES)


def _is_of_member(b: Builder, node: gast.AST) -> bool:
    return b.is_builtin_call(node, "range") and not node.keywords and _is_member(node)


def _bounds(node: gast.Call) -> list[gast.expr]:
    """The start, the stop and the step of a range."""
    start = constant(0, node)
    return {1: [start, *node.args, constant(1, node)], 2: [*node.args, constant(1, node)]}.get(
        len(node.args), list(node.args)
    )


def _listed(b: Builder, node: gast.AST) -> None:
    """Have a list stand for a range of the member's that is handed on, or kept."""
    match node:
        case gast.Assign(value=made) | gast.Return(value=made):
            found = [made]
        case gast.IfExp(body=one, orelse=other):
            found = [one, other] if _is_of_member(b, one) or _is_of_member(b, other) else []
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            found = elements
        case gast.Call(func=function, args=args) if _is_program(b, function):
            found = args
        case _:
            return
    for made in found:
        if b.is_builtin_call(made, "range") and (len(found) == 2 or _is_member(made)):
            _become(made, gast.Call(read("list", made), [copy.copy(made)], []))


def _beside(b: Builder, node: gast.AST) -> None:
    """Have `zip` and `enumerate` go over lists of what `map`, `filter` and generators give."""
    if not (b.is_builtin_call(node, "zip") or b.is_builtin_call(node, "enumerate")):
        return
    for given in node.args:
        if not _ends(b, given):
            continue
        if isinstance(given, gast.GeneratorExp):
            _become(given, gast.ListComp(given.elt, given.generators))
        elif any(b.is_builtin_call(given, name) for name in ("map", "filter")):
            _become(given, gast.Call(read("list", given), [copy.copy(given)], []))


def _ends(b: Builder, node: gast.expr) -> bool:
    """Whether a stream ends for certain, and calls nothing of the user's but for each element."""
    sources = [g.iter for g in node.generators] if isinstance(node, gast.GeneratorExp) else []
    sources += node.args[1:] if isinstance(node, gast.Call) else []
    calls = (
        part for source in sources for part in gast.walk(source) if isinstance(part, gast.Call)
    )
    return all(isinstance(c.func, gast.Name) and b.is_builtin(c.func.id) for c in calls)


def _is_program(b: Builder, function: gast.expr) -> bool:
    """Whether a function that is called may be the user's."""
    known = b.callee(function)
    if known is not None:
        return b.calls_program(known)
    return isinstance(function, gast.Name) and function.id in b.local
