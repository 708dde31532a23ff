"""Lower what goes over elements one by one: as a primitive where that can be, else as loops."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import gast

from pcbatch import ir
from pcbatch.frontend import folds, generators, of_sets
from pcbatch.frontend.attempt import Attempt
from pcbatch.frontend.builder import Builder, Jumps, runtime_call
from pcbatch.frontend.compile import compile_expression
from pcbatch.frontend.element_sources import STREAMS, is_selection
from pcbatch.frontend.expressions import into, settled_value, test, value
from pcbatch.frontend.free_reads import reads_later
from pcbatch.frontend.gone_over_objects import is_in_parts
from pcbatch.frontend.lazy_calls import is_lazy, takes_lazy
from pcbatch.frontend.nodes import module_call, read, tuple_of
from pcbatch.frontend.program_calls import uses_program
from pcbatch.frontend.reductions import Reduction, has_walrus, is_exact_total, unordered
from pcbatch.frontend.runtime_names import MERGING
from pcbatch.frontend.source import unparse
from pcbatch.semantics.prelude import DictOfLists
from pcbatch.semantics.row_lists import RowList
from pcbatch.semantics.static_values import MemberSequence


def lower(b: Builder, found: Reduction, node: gast.expr, target: ir.Variable) -> None:
    """Lower a reduction or a comprehension into a variable.

    Args:
      b: the builder.
      found: what `node` is.
      node: the expression.
      target: takes its value.
    """
    always = uses_program(b, node) or has_walrus(node) or found.start is not None
    if always or reads_later(node, b.unbound):
        _loop(b, found, node, target)
        return
    if isinstance(node, gast.GeneratorExp):  # What would be made later is not tried.
        node = gast.copy_location(gast.ListComp(node.elt, node.generators), node)
    span = b.span(node)
    (end,) = b.flow.labels("rounds", "end")
    at_once, looped = b.flow.labels("rounds", "at_once", "looped")
    b.flow.close(ir.Branch(_attempt(b, node), at_once, looped, span))
    b.flow.start(at_once)
    b.primitive((target,), node)
    b.flow.jump(end, span)
    b.flow.start(looped)
    _loop(b, found, node, target)
    b.flow.jump(end, span)
    b.flow.start(end)


def _attempt(b: Builder, node: gast.expr) -> ir.Variable:
    """Emit the attempt to do without a loop; return the variable that says whether one can."""
    operands = b.operands(node)
    function = compile_expression(b.source, tuple_of(node), operands, b.is_builtin)
    can = b.flow.temporary()
    b.flow.run((can,), Attempt(function), operands, f"can_unroll({unparse(node)})", b.span(node))
    return can


def _loop(b: Builder, found: Reduction, node: gast.expr, target: ir.Variable) -> None:
    # The target may be read by the elements, so it is assigned at the end.
    result = b.flow.temporary()
    (done,) = b.flow.labels("rounds", "done")
    if unordered(found):
        found = dataclasses.replace(found, generators=[_any_order(b, g) for g in found.generators])
    source = of_sets.set_of(b, found) if is_exact_total(found) else None
    if source is not None:
        generators = of_sets.in_best_order(found, source)
        found = dataclasses.replace(found, generators=generators)
    lowering = {
        "any": _deciding, "all": _deciding, "min": folds.best, "max": folds.best, "next": _next,
        "reduce": folds.folded, "sorted": _sorted,
    }.get(found.kind, _collected)  # fmt: skip
    lowering(b, found, node, result, done)
    if source is not None:
        b.flow.run(
            (b.flow.temporary(),), of_sets.totalled, (source, result), "ordered", b.span(node)
        )
    b.flow.jump(done, b.span(node))
    b.flow.start(done)
    if found.kind == "tuple":
        into(b, folds.called("tuple", read(result, node)), target)
    else:
        b.flow.move(target, result, b.span(node))


def _any_order(b: Builder, generator: gast.comprehension) -> gast.comprehension:
    """A generator that may go over a set."""
    source = generator.iter
    lazy = is_lazy(b, source) or takes_lazy(b, source)
    if lazy or is_in_parts(b, source) or is_selection(b, source):
        return generator
    function = getattr(source, "func", None)
    if isinstance(function, gast.Name) and function.id in STREAMS:
        return generator
    source = runtime_call(source, "in_any_order", [source])
    return gast.comprehension(generator.target, source, generator.ifs, 0)


_STARTS = {
    "sum": "0", "prod": "1", "len": "0", "list": "[]", "tuple": "[]", "set": "set()", "dict": "{}",
}  # fmt: skip


def _collected(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """Sums, products, counts, lists."""
    if found.first is not None:
        b.flow.move(result, settled_value(b, found.first, [node]), b.span(node))
    elif found.start is not None:
        into(b, found.start, result)
    else:
        folds.literal(b, _STARTS[found.kind], node, result)

    def inner(_: Jumps) -> None:
        element = found.element
        match found.kind:
            case "list" | "set":
                _append(b, found.kind, result, read(value(b, element), element))
                return
            case "dict":
                key, item = (settled_value(b, part, element.elts) for part in element.elts)
                _put(b, result, read(key, element), read(item, element))
                return
            case "sum" | "prod":
                op = gast.Add() if found.kind == "sum" else gast.Mult()
                # Python reads the sum so far after it has the element.
                new = gast.BinOp(read(result, element), op, read(value(b, element), element))
            case "len":
                value(b, element)
                new = gast.BinOp(read(result, element), gast.Add(), folds.located("1", element))
            case _:
                new = gast.List(_with(result, read(value(b, element), element)), gast.Load())
        into(b, gast.copy_location(new, element), result)

    generators.generate(b, found.generators, inner)


def _sorted(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """`sorted`: the elements, then their keys, and what follows from both; or by `<` of objects."""
    items, keys = b.flow.temporary(), b.flow.temporary()
    source, generators = of_sets.set_of(b, found), found.generators
    if source is not None:
        generators = of_sets.in_best_order(found, source)
    _loop(b, Reduction("list", found.element, generators), node, items)
    turned = folds.located("False", node) if found.first is None else found.first
    turned = read(value(b, turned), node)
    taken = [read(source, node)] if source is not None else []
    if found.key is None:
        into(b, module_call(MERGING, "ranks", [read(items, node), turned], node), keys)
        turned = folds.located("False", node)
    else:
        _keys(b, found.key, items, node, keys)
    ordered = runtime_call(node, "sorted_by", [read(items, node), read(keys, node), turned, *taken])
    whole = gast.copy_location(gast.Slice(None, None, None), node)  # which makes a list
    into(b, gast.copy_location(gast.Subscript(ordered, whole, gast.Load()), node), result)


def _keys(
    b: Builder, function: gast.expr, items: ir.Variable, node: gast.expr, keys: ir.Variable
) -> None:
    """The key of each element."""
    key, element = value(b, function), read(b.flow.temporary(), node)
    target = read(element.id, node)
    target.ctx = gast.Store()
    of_key = gast.copy_location(gast.Call(read(key, node), [element], []), node)
    of_key = runtime_call(node, "sortable", [of_key, read(items, node)])
    each = gast.comprehension(target, read(items, node), [], 0)
    _loop(b, Reduction("list", of_key, [each]), node, keys)


def _with(result: ir.Variable, element: gast.expr) -> list[gast.expr]:
    """The elements so far, and one more."""
    kept = gast.copy_location(gast.Starred(read(result, element), gast.Load()), element)
    return [kept, element]


def _append(b: Builder, kind: str, result: ir.Variable, element: gast.Name) -> None:
    """Add an element to a list or a set."""
    name = "append" if kind == "list" else "add"

    def in_place() -> None:
        method = gast.Attribute(read(result, element), name, gast.Load())
        called = value(b, gast.copy_location(method, element))
        b.flow.emit(ir.Call((b.flow.temporary(),), called, (element.id,), (None,), b.span(element)))

    parts = _with(result, element)
    longer = gast.List(parts, gast.Load()) if kind == "list" else gast.Set(parts)
    _added(b, result, element, in_place, longer)


def _put(b: Builder, result: ir.Variable, key: gast.Name, item: gast.Name) -> None:
    """Add a key and a value to a dict."""

    def in_place() -> None:
        b.flow.emit(ir.Store(result, key.id, item.id, b.span(key), text=key.id))

    longer = gast.Dict(keys=[None, key], values=[read(result, key), item])
    _added(b, result, key, in_place, longer)


def _added(
    b: Builder,
    result: ir.Variable,
    element: gast.Name,
    in_place: Callable[[], None],
    longer: gast.expr,
) -> None:
    """Add an element: in place to what has another length for each member, else to a new one."""
    span = b.span(element)
    condition = b.flow.temporary()
    grows, static, added = b.flow.labels("rounds", "grows", "static", "added")
    b.flow.run((condition,), _grows, (result,), f"grows({result})", span)
    b.flow.close(ir.Branch(condition, grows, static, span))
    b.flow.start(grows)
    in_place()
    b.flow.jump(added, span)
    b.flow.start(static)
    into(b, gast.copy_location(longer, element), result)
    b.flow.jump(added, span)
    b.flow.start(added)


def _grows(result: Any) -> tuple[bool]:
    return (isinstance(result, (MemberSequence, DictOfLists, RowList)),)


def _deciding(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """`any` and `all`, which stop at the first element that decides."""
    decided, otherwise = ("True", "False") if found.kind == "any" else ("False", "True")

    def inner(jumps: Jumps) -> None:
        (stop,) = b.flow.labels("rounds", "decided")
        to = (stop, jumps.again) if found.kind == "any" else (jumps.again, stop)
        test(b, found.element, *to)
        b.flow.start(stop)
        folds.literal(b, decided, node, result)
        b.flow.jump(done, b.span(node))

    generators.generate(b, found.generators, inner)
    folds.literal(b, otherwise, node, result)


def _next(
    b: Builder, found: Reduction, node: gast.expr, result: ir.Variable, done: ir.Label
) -> None:
    """`next` of a generator: the first element."""
    default = None
    if found.default is not None:
        default = settled_value(b, found.default, [found.element])

    def inner(_: Jumps) -> None:
        into(b, found.element, result)
        b.flow.jump(done, b.span(node))

    generators.generate(b, found.generators, inner)
    if default is None:
        b.flow.close(ir.Fail("StopIteration", b.span(node)))
    else:
        b.flow.move(result, default, b.span(node))
