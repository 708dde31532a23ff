"""Streams that a variable keeps, `squares = (x * x for x in xs)`, and generator expressions.

What makes elements one by one is used up where it is read. A stream that is read at one place takes
that place, if nothing in between can change what it reads. A generator expression that nothing uses
up where it stands is refused: it would see what changes until it is read, and be empty when it is
read again.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence

import gast

from pcbatch.frontend import given_streams, runtime_names, scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import STREAMS, TAKING, is_filter, is_selection
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.lazy_calls import is_running
from pcbatch.frontend.nodes import become, module_call, read
from pcbatch.frontend.own_nodes import blocks, bound_once, own_nodes, parents_among, reads_of


def rewrite(b: Builder) -> None:
    """Put kept streams where they are read, and refuse other generator expressions that are kept.

    Args:
      b: the builder of a function; `b.source.node` is changed.
    """
    function = b.source.node
    if isinstance(function.body, list):
        once = bound_once(function)
        for block in list(blocks(function.body)):
            _in_block(b, block, once)
    _refuse(b)
    for node in list(own_nodes(function)):
        _beside(b, node)


def _in_block(b: Builder, block: list[gast.stmt], once: frozenset[str]) -> None:
    place = 0
    while place < len(block):
        match block[place]:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if (
                name in once and _is_stream(b, value)
                and (read := _destination(b, name, value, block[place + 1 :]))
            ):  # fmt: skip
                become(read, copy.deepcopy(value))
                del block[place]
            case _:
                place += 1


def _is_stream(b: Builder, node: gast.expr) -> bool:
    if isinstance(node, gast.GeneratorExp) or is_generator_call(b, node):
        return True
    if is_selection(b, node) or is_filter(b, node) or is_running(b, node):
        return True
    return any(b.is_builtin_call(node, name) for name in {*STREAMS, "iter"} - {"range"})


def is_moved(b: Builder, statement: gast.Assign) -> bool:
    """Whether a generator that a variable is assigned takes the place where that is read."""
    function = b.source.node
    (target,) = statement.targets
    if target.id not in bound_once(function) or not is_generator_call(b, statement.value):
        return False
    block = next(x for x in blocks(function.body) if any(s is statement for s in x))
    rest = block[1 + next(k for k, s in enumerate(block) if s is statement) :]
    return _destination(b, target.id, statement.value, rest) is not None


def _destination(
    b: Builder, name: str, value: gast.expr, rest: Sequence[gast.stmt]
) -> gast.Name | None:
    """Where a stream's variable is read, if it is read once and sees the same there."""
    if len(reads_of(name, b.source.node.body)) != 1:
        return None
    taken = set(scope.free_names(value))
    for statement in rest:
        heads = _heads(statement)
        once = [part for head in heads for part in _evaluated_once(head)]
        found = [n for n in reads_of(name, heads) if any(n is part for part in once)]
        if not _is_still(b, heads if found else [statement], taken):
            return None
        if found:
            return found[0]
    return None


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
            case gast.Call(func=gast.Name(id="next"), args=[gast.Name(id=name), *_]) if (
                name in taken
            ):
                return False
            case gast.Call(func=gast.Name(id=name)) if b.is_builtin(name):
                continue
            case gast.Call(func=gast.Attribute(value=gast.Constant())):  # ", ".join(stream)
                continue
            case gast.Call(func=gast.Attribute(value=gast.Name(id=runtime_names.RANGES))):
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


def _refuse(b: Builder) -> None:
    """Refuse the generator expressions that nothing uses up where they stand."""
    nodes = [b.source.node, *own_nodes(b.source.node)]
    parents = parents_among(nodes)
    for node in nodes:
        if isinstance(node, gast.GeneratorExp):
            part, parent = node, parents[id(node)]
            while isinstance(parent, gast.IfExp) and part is not parent.test:
                part, parent = parent, parents[id(parent)]
            call = parents[id(parent)] if isinstance(parent, gast.keyword) else parent
            if isinstance(call, gast.Call) and given_streams.is_taken(b, call, part):
                become(node, gast.ListComp(node.elt, node.generators))
            elif not _uses_up(b, parent, part):
                become(node, module_call(runtime_names.LAZY, "kept_generator", [], node))


def _uses_up(b: Builder, node: gast.AST, part: gast.expr) -> bool:
    """Whether a node takes the elements of one of its parts at once."""
    match node:
        case gast.comprehension() | gast.For() | gast.Starred() | gast.AugAssign():
            return True
        case gast.YieldFrom():
            return True
        case gast.Compare(ops=[*_, gast.In() | gast.NotIn()], comparators=[*_, last]):
            return part is last
        case gast.Assign(targets=targets):
            return all(map(_is_several, targets))
        case gast.Call(func=function, args=args):
            return any(part is a for a in args) and _takes_elements(b, function)
    return False


def _is_several(target: gast.expr) -> bool:
    """Whether what is assigned here is taken apart."""
    is_slice = isinstance(target, gast.Subscript) and isinstance(target.slice, gast.Slice)
    return is_slice or isinstance(target, gast.Tuple | gast.List)


def _takes_elements(b: Builder, function: gast.expr) -> bool:
    """Whether a function that is called is a library's, and takes the elements of an argument."""
    known = b.callee(function)
    if known is not None:
        own = b.calls_program(known) or given_streams.is_users(known.value)
        return not own and known.value is not functools.partial
    if isinstance(function, gast.Name):
        return b.is_builtin(function.id)
    return isinstance(function, gast.Attribute) and function.attr in TAKING


def _beside(b: Builder, node: gast.AST) -> None:
    """Have `zip` and `enumerate` go over lists of what `map`, `filter` and generators give."""
    if not (b.is_builtin_call(node, "zip") or b.is_builtin_call(node, "enumerate")):
        return
    for given in node.args:
        if not _ends(b, given):
            continue
        if isinstance(given, gast.GeneratorExp):
            become(given, gast.ListComp(given.elt, given.generators))
        elif any(b.is_builtin_call(given, name) for name in ("map", "filter")):
            become(given, gast.Call(read("list", given), [copy.copy(given)], []))


def _ends(b: Builder, node: gast.expr) -> bool:
    """Whether a stream ends for certain, and calls nothing of the user's but for each element."""
    sources = [g.iter for g in node.generators] if isinstance(node, gast.GeneratorExp) else []
    sources += node.args[1:] if isinstance(node, gast.Call) else []
    calls = (
        part for source in sources for part in gast.walk(source) if isinstance(part, gast.Call)
    )
    return all(isinstance(c.func, gast.Name) and b.is_builtin(c.func.id) for c in calls)
