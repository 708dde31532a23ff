"""Which function of the program a value calls, and whether Python may just call it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from typing import Any

from pcbatch import ir
from pcbatch.infer.calls import Argument, Callee, Operand, children, constant
from pcbatch.infer.domain import Static, Value
from pcbatch.infer.engine import Engine
from pcbatch.infer.heap import refers
from pcbatch.infer.kinds import is_object
from pcbatch.infer.provenance import has_lists
from pcbatch.semantics import pytree
from pcbatch.semantics.references import is_reference_tree, kind_of_tree
from pcbatch.semantics.static_values import Closure, Method
from pcbatch.semantics.transformations import OfNested, Transformation, Transformed


def behind(engine: Engine, function: Operand) -> tuple[Callee | None, list[Argument]]:
    """The function of the program behind a value, and the arguments that it brings along."""
    leaf, tree = function.value.leaf, function.value.tree
    target = leaf.value if isinstance(leaf, Static) else None
    if isinstance(target, functools.partial):
        return _behind_partial(engine, target)
    if isinstance(target, Transformed):
        return target.callee, []
    if not isinstance(tree, pytree.Node):
        return engine.frontend.callee(target), []
    if issubclass(tree.type, Method):
        return engine.frontend.callee(tree.meta), [(x, None) for x in children(function)]
    if issubclass(tree.type, types.MethodType):
        (owner,) = tree.children
        of = owner.type if isinstance(owner, pytree.Node) else object
        by_name = isinstance(tree.meta, str)
        method = inspect.getattr_static(of, tree.meta, None) if by_name else tree.meta
        return engine.frontend.callee(method), [(x, None) for x in children(function)]
    if issubclass(tree.type, functools.partial):
        called, args, named = children(function)
        if isinstance(called.value.leaf, Static) and isinstance(called.value.leaf.value, OfNested):
            return _behind_nested(engine, called.value.leaf.value.transformation, args)
        callee, brought = behind(engine, called)
        return callee, [*brought, (args, "*"), (named, "**")]
    if is_object(tree) or is_reference_tree(tree):
        kind = kind_of_tree(tree) if is_reference_tree(tree) else tree.type
        called = inspect.getattr_static(kind, "__call__", None)
        return engine.frontend.callee(called), [(function, None)]
    callee = engine.closure(function.value)
    return callee, [(x, None) for x in children(function)] if callee else []


def _behind_nested(
    engine: Engine, transformation: Transformation, args: Operand
) -> tuple[Callee | None, list[Argument]]:
    """What is made of a nested function."""
    (nested,) = children(args)
    callee, brought = behind(engine, nested)
    if callee is None:
        return None, []
    made = (*callee.transformations, transformation)
    return dataclasses.replace(callee, transformations=made), brought


def _behind_partial(
    engine: Engine, partial: functools.partial[Any]
) -> tuple[Callee | None, list[Argument]]:
    """The same of a partial call that holds nothing of the member."""
    abstract = engine.store.abstract
    called, args, named = (
        constant(abstract("partial", part))
        for part in (partial.func, partial.args, partial.keywords)
    )
    callee, brought = behind(engine, called)
    return callee, [*brought, (args, "*"), (named, "**")] if callee else []


def is_straight(engine: Engine, callee: Callee, values: list[Value]) -> bool:
    """Whether a nested function is straight-line code, so that Python may just call it.

    Args:
      engine: the inference.
      callee: the function, which calls none of the program.
      values: the value that is called, then the arguments.
    """
    calls = any(engine.closure(v) is not None for v in values[1:]) or any(
        engine.frontend.callee(x.value) is not None
        for v in values
        for x in v.leaves
        if isinstance(x, Static)
    )
    nested = any(_holds_function(child) for v in values for child in _children_of(v.tree))
    return not calls and not nested and _only_computes(engine.lower(callee), values)


def _only_computes(source: ir.Function, values: list[Value]) -> bool:
    """Whether a function has no branches, changes no list that it is given, and makes no object."""
    operations = source.blocks[0].operations
    calls = any(isinstance(op, (ir.Store, ir.Call)) for op in operations)
    makes = any(map(_makes_object, operations))
    changes = calls and any(has_lists(value) or refers(value.tree) for value in values)
    return len(source.blocks) == 1 and not makes and not changes


def _makes_object(op: ir.CallOperation) -> bool:
    """Whether an operation makes an object, a class of such, or a dict, which may be changed."""
    if isinstance(op, ir.Primitive) and getattr(op.fn, "is_class", False):
        return True
    fresh = getattr(op.fn, "makes", None) if isinstance(op, ir.Primitive) else None
    made = fresh.at(0) if fresh is not None else None
    return made is not None and made.is_list and made.is_dict


def _children_of(tree: pytree.Tree) -> tuple[pytree.Tree, ...]:
    return tree.children if isinstance(tree, pytree.Node) else ()


def _holds_function(tree: pytree.Tree) -> bool:
    """Whether a structure has a nested function or a bound autobatched method inside."""
    if not isinstance(tree, pytree.Node):
        return False
    return issubclass(tree.type, (Closure, Method)) or any(map(_holds_function, tree.children))
