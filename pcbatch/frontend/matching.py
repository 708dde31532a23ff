"""Lower `match`: patterns become tests, one after the other, and assignments of captures."""

from __future__ import annotations

from collections.abc import Sequence

import gast

from pcbatch import ir
from pcbatch.errors import ProgramError
from pcbatch.frontend import diagnostics
from pcbatch.frontend.builder import Builder, Jumps, LowerBody, runtime_call
from pcbatch.frontend.expressions import into, settled_value, test, value
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.runtime_names import UNPACKING

SELF_MATCHING = ("bool", "int", "float", "complex", "str", "list", "tuple", "dict", "set")
"""Builtin classes whose one positional pattern is matched by the whole subject."""


def lower_match(b: Builder, node: gast.Match, jumps: Jumps, lower_body: LowerBody) -> None:
    """Lower a `match` statement; the arguments are as for `loops.lower_while`."""
    subject = settled_value(b, node.subject, node.cases)
    (end,) = b.flow.labels("match", "end")
    for case in node.cases:
        (other,) = b.flow.labels("case", "other")
        # The captures of a pattern are assigned where all of it has matched, before the guard.
        captures: list[tuple[str, ir.Variable]] = []
        _pattern(b, subject, case.pattern, node.subject, other, captures)
        for name, variable in captures:
            b.flow.move(name, variable, b.span(node.subject))
        if case.guard is not None:
            (holds,) = b.flow.labels("case", "guarded")
            test(b, case.guard, holds, other)
            b.flow.start(holds)
        lower_body(b, case.body, jumps)
        b.flow.jump(end, b.span(node.subject))
        b.flow.start(other)
    b.flow.jump(end, b.span(node.subject))
    b.flow.start(end)


def _pattern(
    b: Builder,
    subject: ir.Variable,
    pattern: gast.AST,
    like: gast.expr,
    other: ir.Label,
    captures: list[tuple[str, ir.Variable]],
) -> None:
    """Go on where a pattern matches, else to `other`.

    Args:
      b: the builder.
      subject: what is matched.
      pattern: the pattern.
      like: an expression whose place stands for the pattern's.
      other: where to go otherwise.
      captures: takes the names that the pattern binds, and the variables that they get.
    """
    match pattern:
        case gast.MatchValue(value=expected):
            _unless(b, _compared(subject, gast.Eq(), expected, expected), other)
        case gast.MatchSingleton(value=known):
            expected = constant(known, like)
            _unless(b, _compared(subject, gast.Is(), expected, like), other)
        case gast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                _pattern(b, subject, inner, like, other, captures)
            if name is not None:
                captures.append((name, subject))
        case gast.MatchOr(patterns=alternatives):
            _alternatives(b, subject, alternatives, like, other, captures)
        case gast.MatchSequence(patterns=parts):
            _sequence(b, subject, parts, like, other, captures)
        case gast.MatchClass(cls=cls):
            _class(b, subject, pattern, cls, other, captures)
        case _:
            raise ProgramError(diagnostics.MatchStatement(b.span(like)))


def _compared(
    subject: ir.Variable, op: gast.cmpop, expected: gast.expr, like: gast.expr
) -> gast.expr:
    compare = gast.Compare(left=read(subject, like), ops=[op], comparators=[expected])
    return gast.copy_location(compare, like)


def _unless(b: Builder, condition: gast.expr, other: ir.Label) -> None:
    (matches,) = b.flow.labels("case", "matches")
    test(b, condition, matches, other)
    b.flow.start(matches)


def _alternatives(
    b: Builder,
    subject: ir.Variable,
    alternatives: Sequence[gast.AST],
    like: gast.expr,
    other: ir.Label,
    captures: list[tuple[str, ir.Variable]],
) -> None:
    (matched,) = b.flow.labels("case", "one_of")
    common: dict[str, ir.Variable] = {}
    for k, alternative in enumerate(alternatives):
        (following,) = b.flow.labels("case", "or")
        own: list[tuple[str, ir.Variable]] = []
        last = k == len(alternatives) - 1
        _pattern(b, subject, alternative, like, other if last else following, own)
        for name, variable in own:  # each alternative binds the same names
            b.flow.move(common.setdefault(name, b.flow.temporary()), variable, b.span(like))
        b.flow.jump(matched, b.span(like))
        if not last:
            b.flow.start(following)
    b.flow.start(matched)
    captures.extend(common.items())


def _sequence(
    b: Builder,
    subject: ir.Variable,
    parts: Sequence[gast.AST],
    like: gast.expr,
    other: ir.Label,
    captures: list[tuple[str, ir.Variable]],
) -> None:
    stars = [k for k, part in enumerate(parts) if isinstance(part, gast.MatchStar)]
    least = len(parts) - len(stars)
    numbers = [constant(n, like) for n in (least, bool(stars))]
    fits = runtime_call(like, "is_sequence", [read(subject, like), *numbers], UNPACKING)
    _unless(b, fits, other)
    for k, part in enumerate(parts):
        if isinstance(part, gast.MatchStar):
            _captured_rest(b, subject, part, (k, len(parts) - 1 - k), like, captures)
            continue
        position = k if not stars or k < stars[0] else k - len(parts)
        element = b.flow.temporary()
        into(b, _element(subject, position, like), element)
        _pattern(b, element, part, like, other, captures)


def _element(subject: ir.Variable, position: int, like: gast.expr) -> gast.expr:
    number = constant(abs(position), like)
    if position < 0:
        number = gast.copy_location(gast.UnaryOp(gast.USub(), number), like)
    return gast.copy_location(gast.Subscript(read(subject, like), number, gast.Load()), like)


def _captured_rest(
    b: Builder,
    subject: ir.Variable,
    part: gast.AST,
    around: tuple[int, int],
    like: gast.expr,
    captures: list[tuple[str, ir.Variable]],
) -> None:
    if part.name is None:
        return
    numbers = [constant(n, like) for n in around]
    rest = b.flow.temporary()
    into(b, runtime_call(like, "middle", [read(subject, like), *numbers], UNPACKING), rest)
    captures.append((part.name, rest))


def _class(
    b: Builder,
    subject: ir.Variable,
    pattern: gast.AST,
    cls: gast.expr,
    other: ir.Label,
    captures: list[tuple[str, ir.Variable]],
) -> None:
    """A pattern `int()`, `float(x)`, `Point(x=0)` or `Point(0, y)`."""
    positional = list(getattr(pattern, "patterns", []))
    named = list(
        zip(getattr(pattern, "kwd_attrs", []), getattr(pattern, "kwd_patterns", []), strict=True)
    )
    function = gast.copy_location(gast.Name("isinstance", gast.Load(), None, None), cls)
    if not b.is_builtin("isinstance"):
        raise ProgramError(diagnostics.MatchStatement(b.span(cls)))
    fits = gast.Call(function, [read(subject, cls), cls], [])
    _unless(b, gast.copy_location(fits, cls), other)
    if len(positional) == 1 and isinstance(cls, gast.Name) and cls.id in SELF_MATCHING:
        _pattern(b, subject, positional[0], cls, other, captures)
        positional = []
    if positional:
        known = b.callee(cls)
        names = getattr(known.value, "__match_args__", ()) if known is not None else ()
        if len(names) < len(positional):
            raise ProgramError(diagnostics.MatchStatement(b.span(cls)))
        named = [*zip(names, positional, strict=False), *named]
    for name, part in named:
        attribute = gast.copy_location(gast.Attribute(read(subject, cls), name, gast.Load()), cls)
        _pattern(b, value(b, attribute), part, cls, other, captures)
