"""Which expressions go over elements one by one: comprehensions, and builtins that use one up.

Where their rounds are known when the program is traced they are a part of a primitive. Otherwise
they are loops; `rounds` lowers them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.element_sources import Stream, each, is_selection, renamed, stream
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.lazy_calls import is_running
from pcbatch.frontend.nodes import read
from pcbatch.frontend.operands import is_conditional
from pcbatch.frontend.program_calls import uses_program

TOTALS = ("sum", "any", "all", "min", "max", "next", "len", "list", "tuple", "sorted")
"""Builtins that take the elements one after the other."""
LIBRARY = {"math.prod": "prod", "functools.reduce": "reduce", "_functools.reduce": "reduce"}
"""Functions of the library that do."""

_OF_OBJECTS = ("min", "max", "sorted", "reduce")
"""Those that often ask each element of a list for a method of the user's."""
_OF_NUMBERS = ("sum", "prod", "any", "all")
"""Those that seldom do, and are an operation on the elements where they do not."""

_NAMED = {
    "start": "sum prod", "default": "min max next", "key": "min max sorted", "reverse": "sorted",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Reduction:
    """Elements, and what is made of them.

    Attributes:
      kind: the builtin's name, or "list", "set", "dict" for a comprehension.
      element: the expression of each element.
      generators: as of a comprehension; its variables have names of their own.
      first: what the builtin is given before or beside the elements: a start, a function, whether
        the order is turned round.
      key: of `min`, `max` and `sorted`.
      default: of `min`, `max` and `next`.
      is_sorted: whether the elements are sorted afterwards.
      start: what makes the empty dict, where that is an object of the prelude.
    """

    kind: str
    element: gast.expr
    generators: Sequence[gast.comprehension]
    first: gast.expr | None = None
    key: gast.expr | None = None
    default: gast.expr | None = None
    is_sorted: bool = False
    start: gast.expr | None = None


def unordered(found: Reduction) -> bool:
    """Whether the result is the same in whatever order the elements come."""
    if found.kind in ("any", "all"):
        return not _may_raise(found)
    return found.is_sorted or (found.kind in ("len", "set", "min", "max") and found.key is None)


def is_exact_total(found: Reduction) -> bool:
    """Whether the result is the same in whatever order the elements come, if they are integers."""
    return found.kind in ("sum", "prod") and not _may_raise(found)


def _may_raise(found: Reduction) -> bool:
    parts = [found.element, *(c for g in found.generators for c in g.ifs)]
    return any(isinstance(n, _FAILING) for part in parts for n in gast.walk(part))


_FAILING = (
    gast.Call, gast.Subscript, gast.Div, gast.FloorDiv, gast.Mod, gast.Pow, gast.LShift,
    gast.RShift, gast.NamedExpr,
)  # fmt: skip
"""What may raise: whether `any` comes to it depends on the order of the elements."""


def find(b: Builder, node: gast.AST) -> Reduction | None:
    """Return the reduction that an expression is; None where it stays a part of a primitive."""
    _mark_sorted(b, node)
    _list_elements(b, node)
    match node:
        case gast.ListComp() | gast.SetComp() | gast.DictComp() | gast.GeneratorExp():
            return _comprehension(b, node) if _needs_rounds(b, node) else None
        case gast.Call(func=func, args=args, keywords=keywords):
            kind = _kind(b, func)
            if any(b.is_builtin_call(node, name) for name in ("set", "frozenset", "dict")):
                return _keyed(b, node)
            if kind is None or not args or any(isinstance(a, gast.Starred) for a in args):
                return None
            named = {k.arg: k.value for k in keywords}
            if any(kind not in _NAMED.get(name or "", "").split() for name in named):
                return None
            return _reduction(b, kind, args, named)
    return None


def _keyed(b: Builder, node: gast.Call) -> Reduction | None:
    """`set(...)` or `dict(...)` of what makes elements one by one."""
    if len(node.args) != 1 or node.keywords or _is_literal(b, node.args[0]):
        return None
    (given,), kind = node.args, node.func.id
    if kind == "frozenset":  # of a set, which it copies
        if isinstance(given, gast.GeneratorExp):
            whole = gast.SetComp(given.elt, given.generators)
            node.args[0] = gast.copy_location(whole, given)
        return None
    found = None if isinstance(given, gast.ListComp) else stream(b, given)
    if found is None or (isinstance(given, gast.GeneratorExp) and not _needs_rounds(b, given)):
        return None
    return Reduction(kind, *(found if kind == "set" else _pairs(b, *found)))


def _pairs(b: Builder, element: gast.expr, generators: Sequence[gast.comprehension]) -> Stream:
    """A key and a value for each element, which is a pair of them."""
    if isinstance(element, gast.Tuple) and len(element.elts) == 2:
        return element, generators
    parts = [read(b.flow.temporary(), element) for _ in range(2)]
    targets = [gast.copy_location(gast.Name(x.id, gast.Store(), None, None), x) for x in parts]
    pair, target = gast.Tuple(parts, gast.Load()), gast.Tuple(targets, gast.Store())
    one = gast.copy_location(gast.Tuple([element], gast.Load()), element)
    for part in (pair, target):
        gast.copy_location(part, element)
    return pair, [*generators, gast.comprehension(target, one, [], 0)]


def _list_elements(b: Builder, node: gast.AST) -> None:
    """Have `sorted`, `set`, `frozenset` and `join` take a list of what `map`, `zip`, ... give."""
    kinds = ("sorted", "set", "frozenset")
    joins = isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "join"
    takes = joins or any(b.is_builtin_call(node, kind) for kind in kinds)
    if not takes or not b.is_builtin("list"):
        return
    given = node.args[0] if node.args else None
    if given is None:
        return
    listed = any(b.is_builtin_call(given, name) for name in ("map", "filter", "zip", "enumerate"))
    if listed or is_generator_call(b, given) or is_running(b, given):
        node.args[0] = gast.copy_location(gast.Call(read("list", given), [given], []), given)


def _mark_sorted(b: Builder, node: gast.AST) -> None:
    """Note at a comprehension that its elements are sorted."""
    match node:
        case gast.Call(args=[gast.ListComp() as elements], keywords=named) if b.is_builtin_call(
            node, "sorted"
        ) and all(k.arg == "reverse" for k in named):
            elements.is_sorted = True


def _kind(b: Builder, function: gast.expr) -> str | None:
    if isinstance(function, gast.Name) and b.is_builtin(function.id):
        return function.id if function.id in TOTALS else None
    known = b.callee(function)
    value = known.value if known is not None else None
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}"
    return LIBRARY.get(name)


def _reduction(
    b: Builder, kind: str, args: Sequence[gast.expr], named: dict[str, gast.expr]
) -> Reduction | None:
    if kind in ("min", "max") and len(args) > 1:  # the arguments are what is compared
        key = named.get("key")
        by_key = key is not None and uses_program(b, gast.Call(key, [key], []))
        if not by_key and (key is not None or not has_own_order(b)):
            return None
        args = [gast.copy_location(gast.Tuple(list(args), gast.Load()), args[0])]
    if kind == "reduce":
        if len(args) not in (2, 3):
            return None
        source, default, first = args[1], args[2] if len(args) == 3 else None, args[0]
    else:
        extra = args[1] if len(args) == 2 else None
        source, first, default = args[0], named.get("start"), named.get("default")
        if kind == "next":
            default = extra
        elif kind == "sum":
            first = extra or first
        elif extra is not None or (
            kind == "sorted" and "key" not in named and not has_own_order(b)
        ):
            return None
        first = named.get("reverse", first)
    if len(args) > 3 or (kind == "len" and not isinstance(source, gast.ListComp | gast.Call)):
        return None
    if kind == "len" and is_generator_call(b, source):
        return None  # Python raises a TypeError.
    found = stream(b, source)
    if found is None and kind == "next" and b.is_builtin_call(source, "iter"):
        found = each(b, source.args[0]) if len(source.args) == 1 else None
    if found is None and (_may_be_loop(b, kind) or is_selection(b, source)):
        found = each(b, source)
    calls = args[0] if kind == "reduce" else named.get("key")
    asks = kind in ("min", "max") and calls is None and has_own_order(b)
    if found is None or (not asks and _is_small(b, kind, found, calls)):
        return None
    return Reduction(kind, *found, first=first, key=named.get("key"), default=default)


def has_own_order(b: Builder) -> bool:
    """Whether a class of the program says what is less."""
    return b.is_method("__lt__") or b.is_method("__gt__")


def _may_be_loop(b: Builder, kind: str) -> bool:
    """Whether what goes over the elements of a variable may be a loop."""
    b.totals.wanted |= kind in _OF_NUMBERS
    return kind in _OF_OBJECTS or (b.totals.taken and kind in _OF_NUMBERS)


def _is_small(b: Builder, kind: str, found: Stream, calls: gast.expr | None) -> bool:
    """Whether a primitive will always do: displays without conditions, tuples of streams."""
    element, generators = found
    displays = all(isinstance(g.iter, gast.Tuple | gast.List) and not g.ifs for g in generators)
    parts = [element, *(g.iter for g in generators)]
    whole = gast.Call(calls or element, parts, [])
    copies = kind == "tuple" and isinstance(element, gast.Name)
    copies = copies and not any(is_running(b, g.iter) for g in generators)
    return (displays or copies) and not uses_program(b, whole)


def _comprehension(b: Builder, node: gast.expr) -> Reduction:
    made = renamed(b, node)
    match made:
        case gast.DictComp(key=key, value=value, generators=generators):
            pair = gast.copy_location(gast.Tuple(elts=[key, value], ctx=gast.Load()), node)
            return Reduction("dict", pair, generators, start=getattr(node, "start", None))
        case gast.SetComp(elt=element, generators=generators):
            return Reduction("set", element, generators)
    return Reduction(
        "list",
        made.elt,
        made.generators,
        is_sorted=hasattr(node, "is_sorted"),
        start=getattr(node, "start", None),
    )


def _needs_rounds(b: Builder, node: gast.AST) -> bool:
    """Whether a comprehension has what a primitive may not be able to do."""
    if hasattr(node, "start"):
        return True
    conditions = any(generator.ifs for generator in node.generators)
    unknown = not all(_is_literal(b, generator.iter) for generator in node.generators)
    inner = any(
        isinstance(part, scope.COMPREHENSIONS) and part is not node and _needs_rounds(b, part)
        for part in gast.walk(node)
    )
    decides = any(is_conditional(part) or isinstance(part, gast.Call) for part in _elements(node))
    return conditions or unknown or inner or decides or has_walrus(node)


def _elements(node: gast.AST) -> Iterator[gast.AST]:
    """All parts of what a comprehension makes in each of its rounds."""
    made = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    return itertools.chain.from_iterable(map(gast.walk, made))


def _is_literal(b: Builder, node: gast.expr) -> bool:
    """Whether the source says how many rounds a generator has."""
    if b.is_builtin_call(node, "range"):
        return all(isinstance(a, gast.Constant | gast.UnaryOp) for a in node.args)
    if isinstance(node, gast.Tuple | gast.List):
        return not any(isinstance(e, gast.Starred) for e in node.elts)
    return isinstance(node, gast.Constant)


def has_walrus(node: gast.AST) -> bool:
    """Whether an expression assigns a variable."""
    return any(isinstance(part, gast.NamedExpr) for part in gast.walk(node))
