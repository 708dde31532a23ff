"""Calls that take elements one by one from a generator function: `islice`, `zip`, ..."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import gast

from pcbatch.frontend.builder import Builder
from pcbatch.frontend.generator_calls import is_generator_call

_OF_ITERTOOLS = {
    id(function): function
    for function in (
        itertools.islice, itertools.takewhile, itertools.dropwhile, itertools.filterfalse,
        itertools.chain, itertools.accumulate,
    )
}  # fmt: skip
_RUNNING = ("accumulate", "dropwhile")
"""Those whose elements depend on all that came before: any source is gone over by a loop."""
MOST_CHAINED = 4
"""So many parts may a chain have, for each of which the loop's body is lowered."""
_BUILTINS = ("zip", "enumerate", "iter")
_NUMBERS = {
    itertools.islice: range(2, 5), itertools.chain: range(1, MOST_CHAINED + 1),
    itertools.accumulate: (1, 2),
}  # fmt: skip
"""How many arguments a function may be given, if not two."""
_NAMED = ("func", "initial")
"""The arguments of `accumulate` that may be named."""


def is_lazy(b: Builder, node: gast.AST) -> bool:
    """Whether an expression takes its elements one by one from a call of a generator function."""
    match node:
        case gast.GeneratorExp(generators=generators):
            return any(is_lazy(b, generator.iter) for generator in generators)
        case gast.Call(func=gast.Name(id="map" | "filter" as name), args=[_, *given]):
            return b.is_builtin(name) and any(is_lazy(b, source) for source in given)
    name = name_of(b, node)
    return is_generator_call(b, node) or any(is_lazy(b, x) for x in sources(name, node))


def is_running(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a call of a function of `_RUNNING`."""
    return name_of(b, node) in _RUNNING


def takes_lazy(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a call that `lower_for` goes over."""
    found = sources(name_of(b, node), node)
    one = sum(is_running(b, source) for source in found) == 1
    return is_running(b, node) or one or any(is_lazy(b, source) for source in found)


def name_of(b: Builder, node: gast.AST) -> str:
    """The name of the function that a call is of, where it is one of those here."""
    if not isinstance(node, gast.Call) or any(isinstance(a, gast.Starred) for a in node.args):
        return ""
    for name in _BUILTINS:
        if b.is_builtin_call(node, name):
            takes = {"zip": not node.keywords, "iter": len(node.args) == 1}
            return name if takes.get(name, bool(node.args)) else ""
    known = b.callee(node.func)
    found = None if known is None else _OF_ITERTOOLS.get(id(known.value))
    if known is None or found is None or found is not known.value:
        return ""
    named = _NAMED if found is itertools.accumulate else ()
    if any(k.arg not in named for k in node.keywords):
        return ""
    return found.__name__ if len(node.args) in _NUMBERS.get(found, (2,)) else ""


def sources(name: str, node: gast.AST) -> Sequence[gast.expr]:
    """Those arguments of a call of a function here that have elements; none of any other."""
    if not name or not isinstance(node, gast.Call):
        return ()
    if name in ("zip", "chain"):
        return node.args
    first = name in ("islice", "enumerate", "iter", "accumulate")
    return node.args[:1] if first else node.args[1:2]
