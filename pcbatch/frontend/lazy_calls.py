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
        itertools.chain,
    )
}  # fmt: skip
MOST_CHAINED = 4
"""So many parts may a chain have, for each of which the loop's body is lowered."""
_BUILTINS = ("zip", "enumerate", "iter")


def is_lazy(b: Builder, node: gast.AST) -> bool:
    """Whether an expression takes its elements one by one from a call of a generator function."""
    match node:
        case gast.GeneratorExp(generators=generators):
            return any(is_lazy(b, generator.iter) for generator in generators)
        case gast.Call(func=gast.Name(id="map" | "filter" as name), args=[_, *sources]):
            return b.is_builtin(name) and any(is_lazy(b, source) for source in sources)
    return is_generator_call(b, node) or takes_lazy(b, node)


def takes_lazy(b: Builder, node: gast.AST) -> bool:
    """Whether an expression is a call that `lower_for` goes over."""
    name = name_of(b, node)
    return bool(name) and any(is_lazy(b, source) for source in sources(name, node))


def name_of(b: Builder, node: gast.AST) -> str:
    """The name of the function that a call is of, where it is one of those here."""
    if not isinstance(node, gast.Call) or any(isinstance(a, gast.Starred) for a in node.args):
        return ""
    for name in _BUILTINS:
        if b.is_builtin_call(node, name):
            takes = {"zip": not node.keywords, "iter": len(node.args) == 1}
            return name if takes.get(name, bool(node.args)) else ""
    known = b.callee(node.func)
    if known is None or node.keywords:
        return ""
    found = _OF_ITERTOOLS.get(id(known.value))
    if found is None or found is not known.value:
        return ""
    numbers = {itertools.islice: range(2, 5), itertools.chain: range(1, MOST_CHAINED + 1)}
    return found.__name__ if len(node.args) in numbers.get(found, (2,)) else ""


def sources(name: str, node: gast.Call) -> Sequence[gast.expr]:
    """Those arguments of a call that have elements."""
    if name in ("zip", "chain"):
        return node.args
    return node.args[:1] if name in ("islice", "enumerate", "iter") else node.args[1:2]
