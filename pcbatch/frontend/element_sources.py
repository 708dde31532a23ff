"""What makes elements one by one, as the element and the generators of a comprehension."""

from __future__ import annotations

import collections
import copy
import itertools
import math
from collections.abc import Sequence

import gast

from pcbatch.frontend import narrowed_elements, scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_calls import is_generator_call
from pcbatch.frontend.lazy_calls import takes_lazy
from pcbatch.frontend.nodes import constant, read
from pcbatch.frontend.operator_functions import applied
from pcbatch.frontend.selecting import stand_in

FILTERS = {
    id(function): function
    for function in (itertools.takewhile, itertools.filterfalse, itertools.starmap)
}
"""Functions of `itertools` that call a function for each element, by their identity."""
TAKING = (
    "join", "extend", "extendleft", "update", "union", "intersection", "difference",
    "symmetric_difference", "intersection_update", "difference_update",
    "symmetric_difference_update", "issubset", "issuperset", "isdisjoint", "fromkeys",
)  # fmt: skip
"""The methods of Python's containers and texts that take the elements of what they are given."""
TAKING_BUILTINS = (
    "list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "dict",
)  # fmt: skip
TAKING_FUNCTIONS = (collections.Counter, collections.deque, math.fsum, math.prod)
"""What takes all elements of what it is given, and calls nothing of the user's in between."""
STREAMS = ("map", "filter", "range", "zip", "enumerate", "reversed")
"""Builtins that make elements."""

Stream = tuple[gast.expr, Sequence[gast.comprehension]]
"""What each element is, and what it comes from."""


def stream(b: Builder, node: gast.expr) -> Stream | None:
    """Return an element and generators for what makes elements one by one; None for a value."""
    match node:
        case gast.Call() if takes_lazy(b, node):
            return each(b, node)
        case gast.GeneratorExp() | gast.ListComp():
            made = renamed(b, node)
            return made.elt, made.generators
        case gast.Call(func=gast.Name(id=name), args=[argument], keywords=[]) if name in (
            "list",
            "tuple",
            "iter",
        ) and b.is_builtin(name):
            return stream(b, argument)
        case gast.Call(func=gast.Name(id=name), args=args) if (
            name in STREAMS and b.is_builtin(name) and args
            and not any(isinstance(a, gast.Starred) for a in args)
        ):  # fmt: skip
            return _of_builtin(b, name, node)
        case gast.Call() if is_generator_call(b, node):
            return each(b, node)
        case gast.Call(args=[function, iterable], keywords=[]) if name := _filtering(b, node):
            return _of_filter(b, name, function, iterable, node)
    return None


def _of_builtin(b: Builder, name: str, node: gast.Call) -> Stream | None:
    match name, node.args:
        case "map", [function, iterable]:
            element, generators = _elements(b, iterable)
            call = applied(b, function, [element]) or gast.Call(function, [element], [])
            return gast.copy_location(call, node), generators
        case "map", [function, *iterables] if iterables:
            zipped = gast.Call(gast.Name("zip", gast.Load(), None, None), iterables, [])
            for part in (zipped, zipped.func):
                gast.copy_location(part, node)
            element, generators = _elements(b, zipped)
            if (found := applied(b, function, _parts(element, len(iterables)))) is not None:
                return found, generators
            starred = gast.copy_location(gast.Starred(element, gast.Load()), node)
            return gast.copy_location(gast.Call(function, [starred], []), node), generators
        case "filter", [function, iterable]:
            element, generators = _elements(b, iterable)
            if not isinstance(element, gast.Name):
                one = gast.copy_location(gast.Tuple([element], gast.Load()), node)
                element, more = each(b, one)
                generators = [*generators, *more]
            keeps = gast.copy_location(gast.Call(function, [element], []), node)
            plain = isinstance(function, gast.Constant)
            last = generators[-1]
            ifs = [*last.ifs, element if plain else keeps]
            return element, [*generators[:-1], gast.comprehension(last.target, last.iter, ifs, 0)]
        case "map" | "filter", _:
            return None
    return each(b, node)


def _parts(element: gast.expr, number: int) -> list[gast.expr]:
    """The parts of an element that is a tuple."""
    return [
        gast.copy_location(gast.Subscript(element, constant(k, element), gast.Load()), element)
        for k in range(number)
    ]


def _filtering(b: Builder, node: gast.Call) -> str:
    """The name of a function of `FILTERS` that a call is of; "" for any other."""
    known = b.callee(node.func)
    value = known.value if known is not None else None
    return FILTERS[id(value)].__name__ if FILTERS.get(id(value)) is value is not None else ""


def is_selection(b: Builder, node: gast.expr) -> bool:
    """Whether an expression is a call of a function of `itertools` that a loop may go over."""
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    return known is not None and bool(stand_in(known.value))


def is_filter(b: Builder, node: gast.expr) -> bool:
    """Whether an expression is a call of one of `FILTERS`."""
    known = b.callee(node.func) if isinstance(node, gast.Call) else None
    return known is not None and id(known.value) in FILTERS


def _of_filter(
    b: Builder, name: str, function: gast.expr, iterable: gast.expr, node: gast.Call
) -> Stream | None:
    element, generators = _elements(b, iterable)
    if name == "starmap":
        starred = gast.copy_location(gast.Starred(element, gast.Load()), node)
        return gast.copy_location(gast.Call(function, [starred], []), node), generators
    if name == "takewhile" and (len(generators) > 1 or generators[0].ifs):
        return None  # what comes after the end would have to be left, too
    if not isinstance(element, gast.Name):
        one = gast.copy_location(gast.Tuple([element], gast.Load()), node)
        element, more = each(b, one)
        generators = [*generators, *more]
    keeps = gast.copy_location(gast.Call(function, [element], []), node)
    last = generators[-1]
    if name == "takewhile":
        condition: gast.expr = keeps
        condition.ends_loop = True
    else:
        plain = isinstance(function, gast.Constant)
        condition = gast.copy_location(gast.UnaryOp(gast.Not(), element if plain else keeps), node)
    made = gast.comprehension(last.target, last.iter, [*last.ifs, condition], 0)
    return element, [*generators[:-1], made]


def _elements(b: Builder, node: gast.expr) -> Stream:
    return stream(b, node) or each(b, node)


def each(b: Builder, node: gast.expr) -> Stream:
    """Each element of an iterable, in a variable."""
    variable = b.flow.temporary()
    target = read(variable, node)
    target.ctx = gast.Store()
    return read(variable, node), [gast.comprehension(target, node, [], 0)]


def of_loop(b: Builder, node: gast.expr) -> Stream | None:
    """What a `for` statement goes over, where an element is made by the program."""
    match node:
        case gast.GeneratorExp():
            return stream(b, node)
        case gast.Call(func=gast.Name(id="map" | "filter" as name)) if b.is_builtin(name):
            return stream(b, node)
        case gast.Call() if _filtering(b, node):
            return stream(b, node)
    return None


def renamed(b: Builder, node: gast.expr) -> gast.expr:
    """A comprehension whose variables have names that nothing else in the function has."""
    node = copy.deepcopy(node)
    own = scope.bound_names([g.target for g in node.generators])
    new = {name: b.flow.of_comprehension(name) for name in own}
    inner = [*node.generators[1:], *(g.target for g in node.generators)]
    parts = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    for part in (*parts, *inner, *(c for g in node.generators for c in g.ifs)):
        _rename(part, new)
    return narrowed_elements.comprehension(b, node)


def _rename(node: gast.AST, new: dict[str, str]) -> None:
    for part in gast.walk(node):
        if isinstance(part, gast.Name) and part.id in new:
            part.id = new[part.id]
