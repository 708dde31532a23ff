"""Loops over what takes elements one by one from a generator function: `islice`, `zip`, ...

    for x in itertools.islice(g(), n):      k = 0
        total += x                          if k < n:
                                    =>          for x in g():
                                                    total += x
                                                    k += 1
                                                    if k == n: break

The inner loop is lowered as any other, with the statements of the generator, see `yielding`. The
generator goes on only when the next element is asked for, as in Python.
"""

from __future__ import annotations

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics
from pcbatch.frontend.builder import Builder, Jumps, LowerBody
from pcbatch.frontend.expressions import test, value
from pcbatch.frontend.generator_calls import going, is_generator_call
from pcbatch.frontend.lazy_calls import is_lazy, is_running, name_of, sources, takes_lazy
from pcbatch.frontend.lazy_loop import Loop, LowerFor, ask, computed, count, counter_of, kept
from pcbatch.frontend.nodes import constant, method_call, read
from pcbatch.frontend.operator_functions import applied
from pcbatch.frontend.phases import branch_on_first, phases


def lower_for(
    b: Builder, node: gast.For, jumps: Jumps, lower_body: LowerBody, inner: LowerFor
) -> bool:
    """Lower a `for` loop over one of these calls; False if it is over anything else.

    Args:
      b: the builder.
      node: the loop.
      jumps: where `break` and `continue` in its `else` go.
      lower_body: lowers statements of the loop.
      inner: lowers the loop over what has the elements.
    """
    if not takes_lazy(b, node.iter):
        return False
    name, call = name_of(b, node.iter), node.iter
    exhausted, end = b.flow.labels("lazy", "exhausted", "end")
    loop = Loop(call, call, node, exhausted, end, lower_body, inner)
    if name == "chain":
        _chain(b, loop)
    else:
        (source,) = _lazy_sources(b, name, call)
        lowering = {
            "islice": _islice, "zip": _zip, "enumerate": _enumerate, "iter": _iter,
            "accumulate": _accumulated,
        }  # fmt: skip
        lowering.get(name, _selected)(b, loop._replace(source=_settled(b, source)))
    b.flow.start(exhausted)
    if node.orelse:
        lower_body(b, node.orelse, jumps)
    b.flow.jump(end, b.span(call))
    b.flow.start(end)
    return True


def _lazy_sources(b: Builder, name: str, call: gast.Call) -> list[gast.expr]:
    """The one source whose statements stand in the loop; others are kept, and asked.

    Raises:
      ProgramError: there are several, which would have to take turns.
    """
    found = [source for source in sources(name, call) if is_lazy(b, source)]
    others = [source for source in found if going(source) is None]
    if len(others) > 1:
        raise ProgramError(diagnostics.SeveralGenerators(b.span(call)))
    if others or found:
        return others or found[:1]
    running = [source for source in sources(name, call) if is_running(b, source)]
    return running or list(sources(name, call))


def _settled(b: Builder, source: gast.expr) -> gast.expr:
    """A source whose arguments have been evaluated: Python does so before it takes an element."""
    if not is_generator_call(b, source):
        return source
    settled = [
        x if isinstance(x, gast.Constant) else read(kept(b, x), x)
        for x in (*source.args, *(k.value for k in source.keywords))
    ]
    args, given = settled[: len(source.args)], settled[len(source.args) :]
    keywords = [gast.keyword(k.arg, x) for k, x in zip(source.keywords, given, strict=True)]
    return gast.copy_location(gast.Call(source.func, args, keywords), source)


def _islice(b: Builder, loop: Loop) -> None:
    call = loop.call
    none, one = constant(None, call), len(call.args) == 2
    bounds = [none, call.args[1], none] if one else [*call.args[1:], none][:3]
    variables = tuple(b.flow.temporary() for _ in bounds)
    given = [*bounds, constant(one, call)]
    parts = read(computed(b, call, "slice_bounds", given), call)
    for k, variable in enumerate(variables):
        part = gast.copy_location(gast.Subscript(parts, constant(k, call), gast.Load()), call)
        b.flow.move(variable, value(b, part), b.span(call))
    counter = counter_of(b, call)
    start, stop, step = (read(variable, call) for variable in variables)
    goes_on = "goes_on", [read(counter, call), start, stop]
    chosen = "is_chosen", [read(counter, call), start, stop, step]
    (begin,) = b.flow.labels("islice", "begin")
    ask(b, call, goes_on, begin, loop.exhausted)
    b.flow.start(begin)

    def each(element: gast.expr, jumps: Jumps) -> None:
        taken, more = b.flow.labels("islice", "taken", "more")
        ask(b, call, chosen, taken, more)
        b.flow.start(taken)
        loop.body(b, element, more)
        count(b, counter, call)
        ask(b, call, goes_on, jumps.again, loop.exhausted)

    loop.over_source(b, each)


def _selected(b: Builder, loop: Loop) -> None:
    """`takewhile`, `dropwhile` and `filterfalse`."""
    call, name = loop.call, name_of(b, loop.call)
    function = _function(b, call.args[0])
    dropping = kept(b, constant(True, call)) if name == "dropwhile" else ""

    def each(element: gast.expr, jumps: Jumps) -> None:
        taken, asked, more = b.flow.labels(name, "taken", "asked", "more")
        holds = gast.copy_location(gast.Call(function, [element], []), call)
        if name == "filterfalse" and isinstance(function, gast.Constant):
            holds = element
        if dropping:
            test(b, read(dropping, call), asked, taken)
            b.flow.start(asked)
            (last,) = b.flow.labels(name, "last")
            test(b, holds, more, last)
            b.flow.start(last)
            b.flow.move(dropping, value(b, constant(False, call)), b.span(call))
            b.flow.jump(taken, b.span(call))
        else:
            ways = (taken, loop.exhausted) if name == "takewhile" else (more, taken)
            test(b, holds, *ways)
        b.flow.start(taken)
        loop.body(b, element, more)
        b.flow.jump(jumps.again, b.span(call))

    loop.over_source(b, each)


def _accumulated(b: Builder, loop: Loop) -> None:
    call, named = loop.call, {k.arg: k.value for k in loop.call.keywords}
    given = call.args[1] if len(call.args) > 1 else named.get("func", constant(None, call))
    function, initial = _function(b, given), named.get("initial", constant(None, call))
    total, (seen, advance) = b.flow.temporary(), phases(b, call)
    if not _is_none(initial):
        b.flow.move(total, value(b, initial), b.span(call))
        advance(1)
        (begin,) = b.flow.labels("accumulate", "begin")
        loop.body(b, read(total, call), begin)

    def each(element: gast.expr, jumps: Jumps) -> None:
        first, later, taken, more = b.flow.labels("accumulate", "first", "later", "taken", "more")
        branch_on_first(b, seen, call, first, later)
        b.flow.start(first)
        b.flow.move(total, value(b, element), b.span(call))
        advance(1)
        b.flow.jump(taken, b.span(call))
        b.flow.start(later)
        parts = [read(total, call), element]
        if _is_none(given):
            new: gast.expr = gast.BinOp(parts[0], gast.Add(), element)
        else:
            new = applied(b, function, parts) or gast.Call(function, parts, [])
        b.flow.move(total, value(b, gast.copy_location(new, call)), b.span(call))
        b.flow.jump(taken, b.span(call))
        b.flow.start(taken)
        loop.body(b, read(total, call), more)
        b.flow.jump(jumps.again, b.span(call))

    loop.over_source(b, each)


def _function(b: Builder, node: gast.expr) -> gast.expr:
    """What is called for each element; an expression that gives it is evaluated once."""
    if isinstance(node, gast.Lambda | gast.Name | gast.Attribute | gast.Constant):
        return node
    return read(kept(b, node), node)


def _is_none(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and node.value is None


def _iter(b: Builder, loop: Loop) -> None:
    def each(element: gast.expr, jumps: Jumps) -> None:
        (more,) = b.flow.labels("iter", "more")
        loop.body(b, element, more)
        b.flow.jump(jumps.again, b.span(loop.call))

    loop.over_source(b, each)


def _chain(b: Builder, loop: Loop) -> None:
    """One loop after the other, each with the statements of the loop."""
    sources = [_settled(b, source) for source in loop.call.args]
    labels = [b.flow.labels("chain", "next")[0] for _ in sources[1:]]
    for source, label in zip(sources, [*labels, loop.exhausted], strict=True):
        _iter(b, loop._replace(source=source, exhausted=label))
        if label != loop.exhausted:
            b.flow.start(label)


def _enumerate(b: Builder, loop: Loop) -> None:
    call = loop.call
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    counter = kept(b, given[0]) if given else counter_of(b, call)

    def each(element: gast.expr, jumps: Jumps) -> None:
        (more,) = b.flow.labels("enumerate", "more")
        number = b.flow.temporary()
        b.flow.move(number, counter, b.span(call))
        count(b, counter, call)
        pair = gast.Tuple([read(number, call), element], gast.Load())
        loop.body(b, gast.copy_location(pair, call), more)
        b.flow.jump(jumps.again, b.span(call))

    loop.over_source(b, each)


def _zip(b: Builder, loop: Loop) -> None:
    call, counter = loop.call, counter_of(b, loop.call)
    (first,) = _lazy_sources(b, "zip", call)
    place = next(k for k, source in enumerate(call.args) if source is first)
    beside = {k: read(_beside(b, x), x) for k, x in enumerate(call.args) if k != place}
    iterators = {id(beside[k]) for k in beside if going(call.args[k]) is not None}
    before = [part for k, part in beside.items() if k < place]
    after = [part for k, part in beside.items() if k > place]

    def item(part: gast.expr) -> gast.expr:
        if id(part) in iterators:
            return method_call(part, "taken", [], call)
        return read(computed(b, call, "item", [part, read(counter, call)]), call)

    def has_all(parts: list[gast.expr], then: ir.Label) -> None:
        """Go on where each of some sources has another element."""
        for part in parts:
            (has,) = b.flow.labels("zip", "has")
            if id(part) in iterators:
                test(b, method_call(part, "has_next", [], call), has, loop.exhausted)
            else:
                asked = "has_item", [part, read(counter, call)]
                ask(b, call, asked, has, loop.exhausted)
            b.flow.start(has)
        b.flow.jump(then, b.span(call))

    (begin,) = b.flow.labels("zip", "begin")
    has_all(before, begin)
    b.flow.start(begin)

    def each(element: gast.expr, jumps: Jumps) -> None:
        taken, more = b.flow.labels("zip", "taken", "more")
        has_all(after, taken)
        b.flow.start(taken)
        parts = [element if k == place else item(beside[k]) for k in range(len(call.args))]
        whole = gast.copy_location(gast.Tuple(parts, gast.Load()), call)
        loop.body(b, whole, more)
        count(b, counter, call)
        has_all(before, jumps.again)

    loop.over_source(b, each)


def _beside(b: Builder, node: gast.expr) -> ir.Variable:
    """What `zip` goes over beside a generator; the elements of a `range` are computed."""
    if (owner := going(node)) is not None:
        return kept(b, owner)
    if b.is_builtin_call(node, "range") and not node.keywords:
        return computed(b, node, "counted", node.args)
    return computed(b, node, "beside", [node])
