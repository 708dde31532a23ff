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

from collections.abc import Callable, Sequence
from typing import NamedTuple

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics
from pcbatch.frontend.assignment import assign
from pcbatch.frontend.builder import Builder, Jumps, LowerBody, runtime_call
from pcbatch.frontend.expressions import residual, test, value
from pcbatch.frontend.generator_calls import going, is_generator_call
from pcbatch.frontend.lazy_calls import is_lazy, name_of, sources, takes_lazy
from pcbatch.frontend.nodes import constant, method_call, read, tuple_of
from pcbatch.frontend.runtime_names import LAZY
from pcbatch.frontend.source import unparse

LowerFor = Callable[[Builder, gast.For, Jumps, LowerBody], None]


class _Loop(NamedTuple):
    """A loop that is lowered.

    Attributes:
      call: what it goes over.
      source: what has the elements.
      node: the loop.
      exhausted: where it goes when there are no more elements.
      end: where its `break` goes.
      lower_body: lowers its statements.
      inner: lowers the loop over the source.
    """

    call: gast.Call
    source: gast.expr
    node: gast.For
    exhausted: ir.Label
    end: ir.Label
    lower_body: LowerBody
    inner: LowerFor

    def body(self, b: Builder, element: gast.expr, more: ir.Label) -> None:
        """Run the statements of the loop for an element, and start with what asks for more."""
        assign(b, [self.node.target], element)
        self.lower_body(b, self.node.body, Jumps(self.end, more))
        b.flow.jump(more, b.span(self.call))
        b.flow.start(more)

    def over_source(self, b: Builder, each: Callable[[gast.expr, Jumps], None]) -> None:
        """Run the loop over the source, and go on where there are no more elements."""
        variable, like = b.flow.temporary(), self.source
        target = gast.copy_location(gast.Name(variable, gast.Store(), None, None), like)
        loop = gast.copy_location(gast.For(target, like, [gast.Pass()], [], None), like)

        def body(b: Builder, statements: Sequence[gast.stmt], jumps: Jumps) -> None:
            if statements:  # there is no `else`
                each(read(variable, like), jumps)

        self.inner(b, loop, Jumps("", ""), body)
        b.flow.jump(self.exhausted, b.span(self.call))


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
    loop = _Loop(call, call, node, exhausted, end, lower_body, inner)
    if name == "chain":
        _chain(b, loop)
    else:
        (source,) = _lazy_sources(b, name, call)
        lowering = {"islice": _islice, "zip": _zip, "enumerate": _enumerate, "iter": _iter}
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
    return others or found[:1]


def _settled(b: Builder, source: gast.expr) -> gast.expr:
    """A source whose arguments have been evaluated: Python does so before it takes an element."""
    if not is_generator_call(b, source):
        return source
    settled = [
        x if isinstance(x, gast.Constant) else read(_kept(b, x), x)
        for x in (*source.args, *(k.value for k in source.keywords))
    ]
    args, given = settled[: len(source.args)], settled[len(source.args) :]
    keywords = [gast.keyword(k.arg, x) for k, x in zip(source.keywords, given, strict=True)]
    return gast.copy_location(gast.Call(source.func, args, keywords), source)


def _kept(b: Builder, node: gast.expr) -> ir.Variable:
    variable = b.flow.temporary()
    b.flow.move(variable, value(b, node), b.span(node))
    return variable


def _computed(b: Builder, like: gast.expr, function: str, args: Sequence[gast.expr]) -> ir.Variable:
    """Emit a call of a function of `lazy_steps`."""
    given = residual(b, tuple_of(*args)).elts
    target = b.flow.temporary()
    b.primitive((target,), runtime_call(like, function, given, LAZY), unparse(like))
    return target


def _ask(
    b: Builder,
    like: gast.expr,
    question: tuple[str, Sequence[gast.expr]],
    then: ir.Label,
    orelse: ir.Label,
) -> None:
    """Go one of two ways, as a function of `lazy_steps` says."""
    b.flow.close(ir.Branch(_computed(b, like, *question), then, orelse, b.span(like)))


def _counter(b: Builder, like: gast.expr) -> ir.Variable:
    """A variable that counts elements, from zero."""
    return _kept(b, constant(0, like))


def _count(b: Builder, counter: ir.Variable, like: gast.expr) -> None:
    number = gast.BinOp(read(counter, like), gast.Add(), constant(1, like))
    b.flow.move(counter, value(b, gast.copy_location(number, like)), b.span(like))


def _islice(b: Builder, loop: _Loop) -> None:
    call = loop.call
    none, one = constant(None, call), len(call.args) == 2
    bounds = [none, call.args[1], none] if one else [*call.args[1:], none][:3]
    variables = tuple(b.flow.temporary() for _ in bounds)
    given = [*bounds, constant(one, call)]
    parts = read(_computed(b, call, "slice_bounds", given), call)
    for k, variable in enumerate(variables):
        part = gast.copy_location(gast.Subscript(parts, constant(k, call), gast.Load()), call)
        b.flow.move(variable, value(b, part), b.span(call))
    counter = _counter(b, call)
    start, stop, step = (read(variable, call) for variable in variables)
    goes_on = "goes_on", [read(counter, call), start, stop]
    chosen = "is_chosen", [read(counter, call), start, stop, step]
    (begin,) = b.flow.labels("islice", "begin")
    _ask(b, call, goes_on, begin, loop.exhausted)
    b.flow.start(begin)

    def each(element: gast.expr, jumps: Jumps) -> None:
        taken, more = b.flow.labels("islice", "taken", "more")
        _ask(b, call, chosen, taken, more)
        b.flow.start(taken)
        loop.body(b, element, more)
        _count(b, counter, call)
        _ask(b, call, goes_on, jumps.again, loop.exhausted)

    loop.over_source(b, each)


def _selected(b: Builder, loop: _Loop) -> None:
    """`takewhile`, `dropwhile` and `filterfalse`."""
    call, name = loop.call, name_of(b, loop.call)
    function = call.args[0]
    if not isinstance(function, gast.Lambda | gast.Name | gast.Attribute | gast.Constant):
        function = read(_kept(b, function), function)
    dropping = _kept(b, constant(True, call)) if name == "dropwhile" else ""

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


def _iter(b: Builder, loop: _Loop) -> None:
    def each(element: gast.expr, jumps: Jumps) -> None:
        (more,) = b.flow.labels("iter", "more")
        loop.body(b, element, more)
        b.flow.jump(jumps.again, b.span(loop.call))

    loop.over_source(b, each)


def _chain(b: Builder, loop: _Loop) -> None:
    """One loop after the other, each with the statements of the loop."""
    sources = [_settled(b, source) for source in loop.call.args]
    labels = [b.flow.labels("chain", "next")[0] for _ in sources[1:]]
    for source, label in zip(sources, [*labels, loop.exhausted], strict=True):
        _iter(b, loop._replace(source=source, exhausted=label))
        if label != loop.exhausted:
            b.flow.start(label)


def _enumerate(b: Builder, loop: _Loop) -> None:
    call = loop.call
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    counter = _kept(b, given[0]) if given else _counter(b, call)

    def each(element: gast.expr, jumps: Jumps) -> None:
        (more,) = b.flow.labels("enumerate", "more")
        number = b.flow.temporary()
        b.flow.move(number, counter, b.span(call))
        _count(b, counter, call)
        pair = gast.Tuple([read(number, call), element], gast.Load())
        loop.body(b, gast.copy_location(pair, call), more)
        b.flow.jump(jumps.again, b.span(call))

    loop.over_source(b, each)


def _zip(b: Builder, loop: _Loop) -> None:
    call, counter = loop.call, _counter(b, loop.call)
    (first,) = _lazy_sources(b, "zip", call)
    place = next(k for k, source in enumerate(call.args) if source is first)
    beside = {k: read(_beside(b, x), x) for k, x in enumerate(call.args) if k != place}
    kept = {id(beside[k]) for k in beside if going(call.args[k]) is not None}
    before = [part for k, part in beside.items() if k < place]
    after = [part for k, part in beside.items() if k > place]

    def item(part: gast.expr) -> gast.expr:
        if id(part) in kept:
            return method_call(part, "taken", [], call)
        return read(_computed(b, call, "item", [part, read(counter, call)]), call)

    def has_all(parts: list[gast.expr], then: ir.Label) -> None:
        """Go on where each of some sources has another element."""
        for part in parts:
            (has,) = b.flow.labels("zip", "has")
            if id(part) in kept:
                test(b, method_call(part, "has_next", [], call), has, loop.exhausted)
            else:
                asked = "has_item", [part, read(counter, call)]
                _ask(b, call, asked, has, loop.exhausted)
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
        _count(b, counter, call)
        has_all(before, jumps.again)

    loop.over_source(b, each)


def _beside(b: Builder, node: gast.expr) -> ir.Variable:
    """What `zip` goes over beside a generator; the elements of a `range` are computed."""
    if (owner := going(node)) is not None:
        return _kept(b, owner)
    if b.is_builtin_call(node, "range") and not node.keywords:
        return _computed(b, node, "counted", node.args)
    return _computed(b, node, "beside", [node])
