"""Turn an expression of the user into a Python function of its operands.

The function is compiled from the user's own syntax nodes, with the user's file name, so that a
traceback shows the user's line. Operators go through `pcbatch.operators`, which knows weak
scalars. Everything the expression reads is a parameter; only builtins stay global.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast

from pcbatch import functions, operators
from pcbatch.frontend import support
from pcbatch.frontend.source import Source
from pcbatch.values import Closure, Factory

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPARE = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip

OPERATORS = "__pcbatch__"
FUNCTIONS = "__functions__"
SUPPORT = "__support__"
UNNAMED = "__lambda__"

_GLOBALS = {
    "__builtins__": builtins,
    OPERATORS: operators,
    FUNCTIONS: functions,
    SUPPORT: support,
}


@dataclasses.dataclass(frozen=True, slots=True)
class MakeClosure:
    """A primitive's function that makes a closure of the values of captured variables."""

    factory: Factory
    captured: tuple[str, ...]

    def __call__(self, *values: Any) -> tuple[Closure]:
        return (Closure(self.factory, dict(zip(self.captured, values, strict=True))),)


def compile_expression(
    source: Source, node: gast.AST, operands: Sequence[str], is_builtin: Callable[[str], bool]
) -> Callable[..., tuple[Any, ...]]:
    """Return a function from the operands to a tuple of results.

    Args:
      source: the function that the expression stands in.
      node: an expression that evaluates to a tuple.
      operands: the names that the expression reads, in the order of the parameters.
      is_builtin: whether a name that is no operand means a Python builtin.
    """
    body = _rewrite(node, is_builtin)
    function = ast.Lambda(args=_arguments(operands), body=body)
    tree = ast.fix_missing_locations(ast.Expression(ast.copy_location(function, body)))
    compiled = eval(compile(tree, source.file, "eval"), dict(_GLOBALS))
    name = source.qualname.rpartition(".")[2]
    compiled.__code__ = compiled.__code__.replace(co_name=name, co_qualname=source.qualname)
    return compiled


def compile_closures(
    source: Source,
    nodes: Mapping[str | None, gast.FunctionDef | gast.Lambda],
    captured: Sequence[str],
    is_builtin: Callable[[str], bool],
) -> list[MakeClosure]:
    """Return one function from the captured values to a closure, in a tuple, per nested function.

    Args:
      source: the function around them.
      nodes: the nested functions, by the variables that they are assigned to, which their bodies
        may use to call themselves and each other; None for a lambda without a name.
      captured: the names that they take from outside.
      is_builtin: as for `compile_expression`.
    """
    inner = [_defined(_rewrite(node, is_builtin), name) for name, node in nodes.items()]
    group: dict[str, Factory] = {}
    for name in nodes:
        (definition,) = ast.parse("def factory(): pass").body
        assert isinstance(definition, ast.FunctionDef)
        result = ast.copy_location(ast.Return(ast.Name(name or UNNAMED, ast.Load())), inner[0])
        definition.args, definition.body = _arguments(captured), [*inner, result]
        tree = ast.fix_missing_locations(ast.Module([ast.copy_location(definition, inner[0])], []))
        namespace: dict[str, Any] = dict(_GLOBALS)
        exec(compile(tree, source.file, "exec"), namespace)
        group[name or UNNAMED] = Factory(namespace["factory"], group)
    names = tuple(_identifier(variable) for variable in captured)
    return [MakeClosure(factory, names) for factory in group.values()]


def _defined(node: Any, name: str | None) -> ast.stmt:
    """Return the statement that defines a nested function."""
    if isinstance(node, ast.Lambda):
        target = ast.Name(name or UNNAMED, ast.Store())
        return ast.copy_location(ast.Assign([target], node), node)
    assert isinstance(node, ast.stmt)
    return node


def _arguments(names: Sequence[str]) -> ast.arguments:
    parameters = [ast.arg(_identifier(name)) for name in names]
    return ast.arguments([], parameters, None, [], [], None, [])


def _identifier(variable: str) -> str:
    """Return a Python name for a variable of the program; temporaries are called "%1"."""
    return variable.replace("%", "__pcbatch_")


def _rewrite(node: gast.AST, is_builtin: Callable[[str], bool]) -> Any:
    # A parameter of a lambda or a comprehension's variable may shadow a builtin.
    bound = {
        n.id
        for n in gast.walk(node)
        if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)
    }
    rewriter = _Operators(lambda name: name not in bound and is_builtin(name))
    return rewriter.visit(gast.gast_to_ast(copy.deepcopy(node)))


class _Operators(ast.NodeTransformer):
    """Sends operators, and calls of some builtins, to `pcbatch.operators`."""

    def __init__(self, is_builtin: Callable[[str], bool]):
        self.is_builtin = is_builtin

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = _identifier(node.id)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _operator_call(node, "binary", BINARY[type(node.op)], node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        literal = isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.USub)
        if literal:  # A negative number is a literal like any other.
            return node
        return _operator_call(node, "unary", UNARY[type(node.op)], node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1:  # Only in lambdas and comprehensions, which stay plain Python.
            return node
        symbol = COMPARE[type(node.ops[0])]
        return _operator_call(node, "compare", symbol, node.left, node.comparators[0])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            wrap = _attribute(node.value, "indexed")
            node.value = ast.copy_location(ast.Call(wrap, [node.value], []), node.value)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = _iterated(node.iter, node.target)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        """Rewrite a loop in a nested function that runs as plain Python."""
        self.generic_visit(node)
        node.iter = _iterated(node.iter, node.target)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _iterated(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Rewrite the unpacking of a value in a nested function."""
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Tuple | ast.List):
            node.value = _iterated(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Rewrite `x += y` in a nested function."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = _operator_call(node, "binary", BINARY[type(node.op)], read, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) if name in functions.FUNCTIONS and self.is_builtin(name):
                function = _attribute(node, "builtin", FUNCTIONS)
                return ast.copy_location(
                    ast.Call(function, [node.func, *node.args], node.keywords), node
                )
        return node


def _iterated(node: ast.expr, target: ast.expr | None = None) -> ast.expr:
    """Return `iterated(node, pattern)`; the target that takes each element gives the pattern."""
    pattern = _pattern(target)
    arguments = [node] if isinstance(pattern, ast.Constant) else [node, pattern]
    call = ast.Call(_attribute(node, "iterated", FUNCTIONS), arguments, [])
    return ast.copy_location(call, node)


def _pattern(target: ast.expr | None) -> ast.expr:
    if not isinstance(target, ast.Tuple | ast.List):
        return ast.Constant(None)
    starred = any(isinstance(element, ast.Starred) for element in target.elts)
    parts = [] if starred else [_pattern(element) for element in target.elts]
    return ast.Tuple(parts, ast.Load())


def _operator_call(node: ast.AST, function: str, symbol: str, *operands: ast.expr) -> ast.Call:
    text = ast.copy_location(ast.Constant(symbol), node)
    return ast.copy_location(ast.Call(_attribute(node, function), [text, *operands], []), node)


def _attribute(node: ast.AST, name: str, namespace: str = OPERATORS) -> ast.Attribute:
    module = ast.copy_location(ast.Name(namespace, ast.Load()), node)
    return ast.copy_location(ast.Attribute(module, name, ast.Load()), node)
