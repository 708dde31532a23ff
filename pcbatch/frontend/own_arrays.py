"""Which arrays a function may write to: those that it makes, and that no other name can mean.

In NumPy two names may mean one array, and a row is a view of its matrix. Here an array is a value,
and an assignment to an element gives the name a new one. The two are the same where every use of
the name is one that keeps neither the array nor a view of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.array_uses import given_up_name, is_exchange, kept, of_numpy, stored_name
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.given_up import Parents
from pcbatch.semantics.arrays.methods import METHODS
from pcbatch.semantics.arrays.views import VIEWS

_MAKING = frozenset([
    "zeros", "ones", "empty", "full", "eye", "identity", "array", "copy",
    "zeros_like", "ones_like", "empty_like", "full_like", "arange", "linspace", "concatenate",
    "stack", "outer", "where", "sqrt", "abs", "cumsum", "sort", "roll", "diff",
    "tile", "repeat", "dot", "pad", "tril", "triu", "vstack", "hstack", "column_stack", "append",
    "matmul", "clip", "kron", "maximum", "minimum", "exp", "log", "sin", "cos", "mean", "sum",
    "linalg.inv", "linalg.solve", "linalg.cholesky", "linalg.matrix_power",
])  # fmt: skip


class Own(NamedTuple):
    """An array that may be written to.

    Attributes:
      axes: it may have at most so many: where an element is kept in a variable, it must be a
        number, and no row.
      parameter: it is the caller's, if the function has one.
    """

    axes: float
    parameter: bool


def own_arrays(b: Builder) -> dict[str, Own]:
    """Return the names that elements may be assigned to, if they are arrays."""
    if b.own_arrays is None:
        parents = {
            id(child): node
            for node in gast.walk(b.source.node)
            for child in gast.iter_child_nodes(node)
        }
        stored = set(filter(None, map(stored_name, gast.walk(b.source.node))))
        exchanges = [*_exchanges(b.source.node), *_taken_over(b, parents)]
        names = stored.union(*(e for e in exchanges if e & stored))
        found = {name: _axes(b, name, parents) for name in sorted(names)}
        while lost := [e for e in exchanges if 0 < sum(found.get(n, 0) > 0 for n in e) < len(e)]:
            found.update((name, 0) for exchange in lost for name in exchange)
        b.own_arrays = {
            name: Own(axes, _is_given(b, name)) for name, axes in found.items() if axes > 0
        }
    known: dict[str, Own] = b.own_arrays
    return known


def _exchanges(function: gast.AST) -> list[set[str]]:
    """The names that change places somewhere: `a, b = b, a`."""
    return [{e.id for e in n.value.elts} for n in gast.walk(function) if is_exchange(n)]


def _taken_over(b: Builder, parents: Parents) -> list[set[str]]:
    """The pairs of names of which one takes over somewhere what the other one gives up."""
    found = ((n, given_up_name(b, n, parents)) for n in gast.walk(b.source.node))
    return [{n.targets[0].id, name} for n, name in found if name]


def _is_given(b: Builder, name: str) -> bool:
    """Whether a name may still mean an argument: the first statement that has it makes no other."""
    function = b.source.node
    if name not in scope.parameters(function.args) or isinstance(function, gast.Lambda):
        return name in scope.parameters(function.args)
    having = (s for s in function.body if any(_is_name(n, name) for n in gast.walk(s)))
    match next(having, None):
        case gast.Assign(targets=[gast.Name(id=first)]) if first == name:
            return False
    return True


def _is_name(node: gast.AST, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _axes(b: Builder, name: str, parents: Parents) -> float:
    """How many axes the array of a name may have; 0 where it is none that may be written to."""
    function = b.source.node
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    if name not in scope.local_names(function):
        return 0
    uses = [n for statement in body for n in gast.walk(statement) if _is_name(n, name)]
    if any(_is_captured(b, use, parents) for use in uses):
        return 0
    stores = [use for use in uses if not isinstance(use.ctx, gast.Load)]
    if len(stores) != scope.binding_counts(body)[name]:
        return 0
    if not all(_is_made(b, use, parents) for use in stores):
        return 0
    loads = (use for use in uses if isinstance(use.ctx, gast.Load))
    return min((kept(b, use, parents) for use in loads), default=math.inf)


def _is_captured(b: Builder, node: gast.AST, parents: Parents) -> bool:
    """Whether a name is used in a nested function, or in a generator that is kept."""
    inner = (*scope.FUNCTIONS, gast.ClassDef)
    for outer in _above(node, parents):
        if isinstance(outer, gast.GeneratorExp) and not isinstance(parents[id(outer)], gast.Call):
            return True
        if isinstance(outer, inner) and not _is_key(b, outer, parents):
            return outer is not b.source.node
    return True


def _is_key(b: Builder, node: gast.AST, parents: Parents) -> bool:
    """Whether a lambda is a `key=` that nothing has any use for when elements are in order."""
    keyword = parents.get(id(node))
    if not isinstance(node, gast.Lambda) or not isinstance(keyword, gast.keyword):
        return False
    call = parents[id(keyword)]
    is_sort = isinstance(call.func, gast.Attribute) and call.func.attr == "sort"
    builtins = ("max", "min", "sorted")
    known = is_sort or any(b.is_builtin_call(call, name) for name in builtins)
    return keyword.arg == "key" and known


def _above(node: gast.AST, parents: Parents) -> Iterator[gast.AST]:
    while id(node) in parents:
        node = parents[id(node)]
        yield node


def _is_made(b: Builder, use: gast.AST, parents: Parents) -> bool:
    """Whether a name is assigned a new array, or one that another name gives up."""
    match statement := parents[id(use)]:
        case gast.Tuple(elts=targets):
            outer = parents[id(statement)]
            if is_exchange(outer):
                return True
            match outer:
                case gast.Assign(targets=[_], value=gast.Tuple(elts=values)):
                    alike = len(values) == len(targets)
                    return alike and _makes(b, values[targets.index(use)])
        case gast.AugAssign():
            return True
        case gast.Assign(targets=[gast.Name()], value=value) | gast.AnnAssign(value=value):
            return _makes(b, value) or bool(given_up_name(b, statement, parents))
    return False


def _makes(b: Builder, node: gast.AST | None) -> bool:
    match node:
        case gast.BinOp(left=left, right=right):
            lists = (gast.List, gast.ListComp, gast.Tuple)
            return not any(isinstance(side, lists) for side in (left, right))
        case gast.Call(func=gast.Attribute(attr="copy" | "astype" | "flatten"), keywords=[]):
            return True
        case gast.Call(func=gast.Attribute(value=gast.Call() as made, attr=name)) if (
            name in METHODS
        ):
            return _makes(b, made)  # a view of what has no name
        case gast.Call(args=[made], keywords=[]) if of_numpy(b, node) in VIEWS:
            return isinstance(made, gast.List) or _makes(b, made)  # np.diag(np.ones(n))
        case gast.Call():
            return of_numpy(b, node) in _MAKING
    return False
