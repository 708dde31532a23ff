"""How an array is used where it has a name: what keeps it, or a view of it, elsewhere."""

from __future__ import annotations

import math

import gast
import numpy as np

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.given_up import Parents, is_given_up
from pcbatch.semantics.arrays.methods import FUNCTIONS, METHODS
from pcbatch.semantics.arrays.views import VIEWS

_READING = ("shape", "size", "ndim", "dtype", *(name for name in METHODS if name not in VIEWS))
_BUILTINS = ("len", "sum", "max", "min", "abs", "any", "all", "float", "int", "round", "sorted")
_VALUES = (gast.BinOp, gast.UnaryOp, gast.Compare)
"""What makes a new value of its operands."""


def given_up_name(b: Builder, node: gast.AST, parents: Parents) -> str:
    """The name, no parameter, that is given up in an assignment `other = name`; else ""."""
    match node:
        case gast.Assign(targets=[gast.Name(id=other)], value=gast.Name(id=name)):
            own = name != other and name not in scope.parameters(b.source.node.args)
            return name if own and is_given_up(node, name, parents) else ""
    return ""


def is_exchange(node: gast.AST) -> bool:
    """Whether names change places: `a, b = b, a`."""
    match node:
        case gast.Assign(targets=[gast.Tuple(elts=targets)], value=gast.Tuple(elts=values)):
            if not all(isinstance(x, gast.Name) for x in (*targets, *values)):
                return False
            left, right = [x.id for x in targets], [x.id for x in values]
            return sorted(left) == sorted(right) and len(set(left)) == len(left)
    return False


def stored_name(node: gast.AST) -> str:
    """The name that an assignment to an element is to, or to an element of a row; else ""."""
    if not isinstance(node, gast.Subscript) or not isinstance(node.ctx, gast.Store):
        return ""
    owner = node.value.value if isinstance(node.value, gast.Subscript) else node.value
    return owner.id if isinstance(owner, gast.Name) else ""


def of_numpy(b: Builder, node: gast.Call) -> str:
    """The name of NumPy's function that a call is of; "" for any other."""
    known = b.callee(node.func)
    value = known.value if known is not None else None
    name = getattr(value, "__name__", "")
    if name and getattr(np.linalg, name, None) is value:
        return f"linalg.{name}"
    return name if name and getattr(np, name, None) is value else ""


def kept(b: Builder, use: gast.AST, parents: Parents) -> float:
    """How many axes an array may have that is used so; infinitely many where nothing is kept."""
    node, axes = use, 0.0
    parent = parents[id(node)]
    if given_up_name(b, parent, parents):
        return math.inf
    while True:
        if isinstance(parent, gast.Subscript) and parent.value is node:
            if isinstance(parent.ctx, gast.Store) or _is_condition(parent.slice):
                return math.inf  # what a condition chooses is a copy
            node, axes = parent, axes + _numbers(parent.slice)
        elif (view := _view(b, node, parent, parents)) is not None:
            node, axes = view, 0.0
            if _is_flat(view) and _gives_numbers(b, use, view, parents):
                return math.inf
        elif _is_ordered_by_key(b, node, parent, "max", "min"):
            node, axes = parent, axes + (len(parent.args) == 1)
        else:
            break
        parent = parents[id(node)]
    if _is_ordered_by_key(b, node, parent, "sorted"):
        return axes + 1
    if _is_used_up(b, node, parent, parents) or _is_put_into_itself(use, node, parent):
        return math.inf
    if _is_gone_over(b, use, node, parent, parents):
        return axes + 1
    is_added = isinstance(parent, gast.AugAssign) and parent.value is node  # maybe to a list
    return max(axes, float(is_added or _is_put_in_place(node, parent)))


def _is_condition(index: gast.AST) -> bool:
    """Whether an index chooses elements by what they are: `v[v > 0]`."""
    match index:
        case gast.BinOp(left=left, op=gast.BitAnd() | gast.BitOr(), right=right):
            return _is_condition(left) and _is_condition(right)
        case gast.UnaryOp(op=gast.Invert(), operand=operand):
            return _is_condition(operand)
    return isinstance(index, gast.Compare)


def _is_put_into_itself(use: gast.AST, node: gast.AST, parent: gast.AST) -> bool:
    """Whether elements of an array are copied to other places in it, as in `v[:2] = v[1:3]`."""
    match use, parent:
        case (
            gast.Name(id=own),
            gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=value),
        ):
            return value is node and own == name
    return False


def _is_put_in_place(node: gast.AST, parent: gast.AST) -> bool:
    """Whether elements are put into a slice of a sequence, which may be a list."""
    match parent:
        case gast.Assign(targets=[gast.Subscript(slice=gast.Slice())], value=value):
            return value is node
    return False


def _is_ordered_by_key(b: Builder, node: gast.AST, parent: gast.AST, *builtins: str) -> bool:
    """Whether a builtin puts what an expression gives, which may be rows, in order by a key."""
    if not any(b.is_builtin_call(parent, name) for name in builtins) or node not in parent.args:
        return False
    return any(keyword.arg == "key" for keyword in parent.keywords)  # rows have no order of theirs


def _view(b: Builder, node: gast.AST, parent: gast.AST, parents: Parents) -> gast.AST | None:
    """The expression that may be a view of what another one gives; None where there is none."""
    match parent:
        case gast.Attribute(attr="T" | "real" | "imag"):
            return parent
        case gast.Attribute(attr=name) if name in VIEWS and name in METHODS:
            call = parents[id(parent)]
            return call if isinstance(call, gast.Call) and call.func is parent else None
        case gast.Call() if node is not parent.func and of_numpy(b, parent) in VIEWS:
            return parent
    return None


def _is_flat(view: gast.AST) -> bool:
    """Whether a view has one axis."""
    return isinstance(view, gast.Call) and getattr(view.func, "attr", "") == "ravel"


def _gives_numbers(b: Builder, use: gast.AST, node: gast.AST, parents: Parents) -> bool:
    """Whether the elements of an expression with one axis are taken, one by one."""
    parent = parents[id(node)]
    if isinstance(parent, gast.Subscript) and parent.value is node:
        return isinstance(parent.ctx, gast.Load) and _numbers(parent.slice) > 0
    return _is_gone_over(b, use, node, parent, parents)


def _is_gone_over(
    b: Builder, use: gast.AST, node: gast.AST, parent: gast.AST, parents: Parents
) -> bool:
    """Whether a loop, or a comprehension, goes over the elements and writes to none of them."""
    if isinstance(parent, gast.Call) and any(
        b.is_builtin_call(parent, name) for name in ("enumerate", "zip", "reversed")
    ):
        node, parent = parent, parents[id(parent)]
    if isinstance(parent, gast.comprehension):
        return parent.iter is node
    if not isinstance(parent, gast.For) or parent.iter is not node:
        return False
    name = use.id if isinstance(use, gast.Name) else ""
    within = (n for statement in parent.body for n in gast.walk(statement))
    return not any(name and stored_name(n) == name for n in within)


def _numbers(index: gast.AST) -> float:
    """How many axes an index takes away at least."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    if any(isinstance(p, gast.Starred | gast.Constant) and not _is_int(p) for p in parts):
        return 0.0
    return float(sum(not isinstance(part, gast.Slice) for part in parts))


def _is_int(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, int)


def _is_used_up(b: Builder, node: gast.AST, parent: gast.AST, parents: Parents) -> bool:
    """Whether what an expression gives is only computed with, or returned."""
    match parent:
        case gast.Subscript():
            return parent.value is not node
        case gast.Call():
            return node is not parent.func and _computes(b, parent)
        case gast.keyword():
            return _computes(b, parents[id(parent)])
        case gast.Attribute(attr=name):
            return name in _READING
        case gast.Tuple() | gast.List() | gast.Dict():
            outer = parents[id(parent)]
            if isinstance(outer, gast.Call) and of_numpy(b, outer):
                return _computes(b, outer)
            return isinstance(outer, gast.Return) or (
                is_exchange(outer) and isinstance(node, gast.Name)
            )
        case gast.Assign(targets=[gast.Subscript(slice=gast.Tuple(elts=parts))]):
            return parent.value is node and any(isinstance(x, gast.Slice) for x in parts)
        case gast.AugAssign():
            return parent.value is node and not isinstance(node, gast.Name)
        case gast.Assign(targets=[gast.Attribute()]):
            return parent.value is node  # inference sees which names an attribute shares it with
        case gast.If() | gast.While():
            return True
    return isinstance(parent, (*_VALUES, gast.Return))


def _computes(b: Builder, call: gast.Call) -> bool:
    """Whether a call makes a new value of its arguments."""
    if isinstance(call.func, gast.Name) and b.is_builtin(call.func.id):
        return call.func.id in _BUILTINS
    name = of_numpy(b, call)
    return bool(name) and name in FUNCTIONS and name not in VIEWS
