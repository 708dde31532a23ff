"""Turn an expression of the user into a Python function of its operands.

The function is compiled from the user's own syntax nodes, with the user's file name, so that a
traceback shows the user's line. Operators go through `semantics.operators`, see `operator_calls`.
Everything the expression reads is a parameter; only builtins stay global.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import gast

from pcbatch.frontend.decisions import runtime_name
from pcbatch.frontend.operator_calls import PlainOperators, identifier, rewrite
from pcbatch.frontend.runtime_names import GLOBALS, IN_PLACE, RUNTIME
from pcbatch.frontend.source import Source, remember
from pcbatch.semantics.static_values import Closure, Factory

UNNAMED = "__lambda__"


@dataclasses.dataclass(frozen=True, slots=True)
class MakeClosure:
    """A primitive's function that makes a closure of the values of captured variables."""

    factory: Factory
    captured: tuple[str, ...]

    def __call__(self, *values: Any) -> tuple[Closure]:
        return (Closure(self.factory, dict(zip(self.captured, values, strict=True))),)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A primitive's function that gives what is known when a function is lowered.

    Attributes:
      value: that.
      is_class: a class that the function defines.
    """

    value: Any
    is_class: bool = False

    def __call__(self) -> tuple[Any]:
        return (self.value,)


def compile_expression(
    source: Source,
    node: gast.AST,
    operands: Sequence[str],
    is_builtin: Callable[[str], bool],
    in_place: str | None = None,
) -> Callable[..., tuple[Any, ...]]:
    """Return a function from the operands to a tuple of results.

    Args:
      source: the function that the expression stands in.
      node: an expression that evaluates to a tuple.
      operands: the names that the expression reads, in the order of the parameters.
      is_builtin: whether a name that is no operand means a Python builtin.
      in_place: the one result is that of an operator, which is assigned to its left operand: a
        variable, where this is "", else a part of what the variable of this name has.
    """
    body = rewrite(node, is_builtin)
    if in_place is not None:
        call = body.elts[0]
        call.func = runtime_name(call, "part_assigned" if in_place else "assigned", IN_PLACE)
        owner = ast.Name(identifier(in_place), ast.Load())
        call.args += [ast.copy_location(owner, call)] if in_place else []
    function = ast.Lambda(args=_arguments(operands), body=body)
    tree = ast.fix_missing_locations(ast.Expression(ast.copy_location(function, body)))
    compiled = eval(compile(tree, source.file, "eval"), dict(GLOBALS))
    remember(compiled.__code__, source)
    name = source.qualname.rpartition(".")[2]
    compiled.__code__ = compiled.__code__.replace(co_name=name, co_qualname=source.qualname)
    return compiled


def compile_closures(
    source: Source,
    nodes: Mapping[str | None, gast.FunctionDef | gast.Lambda],
    captured: Sequence[str],
    is_builtin: Callable[[str], bool],
    late: Sequence[str] = (),
    known: Mapping[str, Any] = MappingProxyType({}),
) -> list[MakeClosure]:
    """Return one function from the captured values to a closure, in a tuple, per nested function.

    Args:
      source: the function around them.
      nodes: the nested functions, by the variables that they are assigned to, which their bodies
        may use to call themselves and each other; None for a lambda without a name.
      captured: the names that they take from outside.
      late: those of them that are local variables and that the bodies read.
      known: what those of them mean that are classes, modules and generators.
      is_builtin: as for `compile_expression`.
    """
    inner = [_defined(rewrite(node, is_builtin), name) for name, node in nodes.items()]
    group: dict[str, Factory] = {}
    for name in nodes:
        (definition,) = ast.parse("def factory(): pass").body
        assert isinstance(definition, ast.FunctionDef)
        result = ast.copy_location(ast.Return(ast.Name(name or UNNAMED, ast.Load())), inner[0])
        definition.args, definition.body = _arguments(captured), [*inner, result]
        tree = ast.fix_missing_locations(ast.Module([ast.copy_location(definition, inner[0])], []))
        namespace: dict[str, Any] = dict(GLOBALS)
        exec(compile(tree, source.file, "exec"), namespace)
        remember(namespace["factory"].__code__, source)
        group[name or UNNAMED] = Factory(namespace["factory"], group, tuple(late), known)
    names = tuple(identifier(variable) for variable in captured)
    return [MakeClosure(factory, names) for factory in group.values()]


def compile_inner(
    source: Source, node: gast.AST, captured: Sequence[str], is_builtin: Callable[[str], bool]
) -> types.CodeType:
    """Return the code of a plain function that calls `semantics.operators`.

    Args:
      source: the function.
      node: the same without defaults, decorators and annotations.
      captured: its free variables; of what it calls, `RUNTIME` has the names.
      is_builtin: as for `compile_expression`.
    """
    rewritten = rewrite(node, is_builtin, PlainOperators)
    statement = _defined(rewritten, None)
    if isinstance(statement, ast.FunctionDef):
        statement.name = UNNAMED  # Its own name is not one of its free variables.
    parameters = _arguments([*RUNTIME, *captured])
    factory = ast.FunctionDef("factory", parameters, [statement], [], None, None)
    tree = ast.fix_missing_locations(ast.Module([ast.copy_location(factory, statement)], []))
    outer = next(filter(_is_code, compile(tree, source.file, "exec").co_consts))
    inner: types.CodeType = next(filter(_is_code, outer.co_consts))
    name = source.qualname.rpartition(".")[2]
    return inner.replace(co_name=name, co_qualname=source.qualname)


def _is_code(constant: Any) -> bool:
    return isinstance(constant, types.CodeType)


def _defined(node: Any, name: str | None) -> ast.stmt:
    """Return the statement that defines a nested function."""
    if isinstance(node, ast.Lambda):
        target = ast.Name(name or UNNAMED, ast.Store())
        return ast.copy_location(ast.Assign([target], node), node)
    assert isinstance(node, ast.stmt)
    return node


def _arguments(names: Sequence[str]) -> ast.arguments:
    parameters = [ast.arg(identifier(name)) for name in names]
    return ast.arguments([], parameters, None, [], [], None, [])
