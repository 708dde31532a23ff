"""Rewrite the operators of an expression, and calls of some builtins, as calls of `semantics`.

`semantics` knows weak scalars and members' values, of which Python's own operators know nothing.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

import gast

from pcbatch.frontend.decisions import Decisions, condition, runtime_name
from pcbatch.frontend.runtime_names import (
    DISPLAYS,
    FUNCTIONS,
    GLOBALS,
    IN_PLACE,
    LOOPS,
    OPERATORS,
    PRELUDE,
    VOCABULARY,
)
from pcbatch.semantics import builtin_functions

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


def identifier(variable: str) -> str:
    """Return a Python name for a variable of the program; temporaries are called "%1"."""
    return variable.replace("%", "__pcbatch_")


def rewrite(
    node: gast.AST, is_builtin: Callable[[str], bool], how: type[Operators] | None = None
) -> Any:
    """Return Python's own syntax tree of a node, rewritten by `Operators` or by `how`.

    Args:
      node: as the user wrote it; it is not changed.
      is_builtin: whether a name that the node does not assign means a Python builtin.
      how: None for `Operators`.
    """
    # A parameter of a lambda or a comprehension's variable may shadow a builtin.
    bound = {
        n.id
        for n in gast.walk(node)
        if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)
    }
    rewriter = (how or Operators)(lambda name: name not in bound and is_builtin(name))
    return rewriter.visit(gast.gast_to_ast(node))  # all of its nodes are new


class Operators(Decisions):
    """Sends operators, and calls of some builtins, to `semantics.operators`."""

    def __init__(self, is_builtin: Callable[[str], bool]):
        self.is_builtin = is_builtin

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = identifier(node.id)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _operator_call(node, "binary", BINARY[type(node.op)], node.left, node.right)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Look up what a number has and a tensor has not, and what is a property."""
        own = isinstance(node.value, ast.Name) and node.value.id in GLOBALS
        self.generic_visit(node)
        if own or not isinstance(node.ctx, ast.Load):
            return node
        name = ast.copy_location(ast.Constant(node.attr), node)
        function = runtime_name(node, "attribute", VOCABULARY)
        return ast.copy_location(ast.Call(function, [node.value, name], []), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        literal = isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.USub)
        if literal:  # A negative number is a literal like any other.
            return node
        return _operator_call(node, "unary", UNARY[type(node.op)], node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1:  # Only in lambdas and comprehensions, which stay plain Python.
            return self.chain(node)
        symbol = COMPARE[type(node.ops[0])]
        return _operator_call(node, "compare", symbol, node.left, node.comparators[0])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        texts = [ast.unparse(part) for part in parts]
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            wrap = runtime_name(node.value, "indexed")
            arguments = [node.value, *map(ast.Constant, texts)]
            node.value = ast.copy_location(ast.Call(wrap, arguments, []), node.value)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = _iterated(node.iter, node.target)
        node.ifs = list(map(condition, node.ifs))
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

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """Rewrite `(*xs, y)`, see `visit_List`."""
        starred = any(isinstance(element, ast.Starred) for element in node.elts)
        if not starred or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        elements = ast.copy_location(ast.List(node.elts, node.ctx), node)
        return self._made(node, "tuple_displayed", [self.visit(elements)])

    def visit_List(self, node: ast.List) -> ast.AST:
        """Rewrite `[*xs, y]`, where `xs` may be a list whose length depends on the member."""
        starred = any(isinstance(element, ast.Starred) for element in node.elts)
        if not starred or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        parts = [
            e.value if isinstance(e, ast.Starred) else ast.copy_location(ast.List([e], node.ctx), e)
            for e in node.elts
        ]
        displayed = runtime_name(node, "displayed", DISPLAYS)
        return ast.copy_location(ast.Call(displayed, [self.visit(p) for p in parts], []), node)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        """Rewrite `{x, *ys}`, whose elements may be members' numbers."""
        parts = [
            e.value if isinstance(e, ast.Starred) else ast.copy_location(ast.Tuple([e], _LOAD), e)
            for e in node.elts
        ]
        return self._made(node, "set_displayed", [self.visit(p) for p in parts])

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """Rewrite `{key: value}`, whose keys may be members' numbers."""
        if all(isinstance(key, ast.Constant) for key in node.keys):
            return self.generic_visit(node)
        pairs = zip(node.keys, node.values, strict=True)
        parts = [
            v if k is None else ast.copy_location(ast.Tuple([k, v], _LOAD), v) for k, v in pairs
        ]
        return self._made(node, "dict_displayed", [self.visit(p) for p in parts])

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        """Rewrite a comprehension that makes a set."""
        elements = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return self._made(node, "set_displayed", [self.visit(elements)])

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """Rewrite a comprehension that makes a dict."""
        pair = ast.copy_location(ast.Tuple([node.key, node.value], _LOAD), node)
        pairs = ast.copy_location(ast.ListComp(pair, node.generators), node)
        return self._made(node, "dict_comprehended", [self.visit(pairs)])

    def _made(self, node: ast.AST, function: str, arguments: list[ast.expr]) -> ast.Call:
        made = runtime_name(node, function, DISPLAYS)
        return ast.copy_location(ast.Call(made, arguments, []), node)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Rewrite the unpacking of a value in a nested function."""
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Tuple | ast.List):
            node.value = _iterated(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Rewrite `x += y`, `a.x += y` and `a[k] += y` in a nested function, or in a helper."""
        if not _is_plain_place(node.target):
            return self.generic_visit(node)
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        read = self.visit(read)
        self.generic_visit(node)
        symbol = BINARY[type(node.op)]
        value = _operator_call(node, "augmented", symbol, read, node.value, namespace=IN_PLACE)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._is_starred(node):
            return self._starred_call(node)
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=name)) if name in GLOBALS and name != PRELUDE:
                return node
            case ast.Name(id=name) if name in builtin_functions.FUNCTIONS and self.is_builtin(name):
                function = runtime_name(node, "builtin", FUNCTIONS)
            case _:
                function = runtime_name(node, "call", VOCABULARY)
        return ast.copy_location(ast.Call(function, [node.func, *node.args], node.keywords), node)

    def _is_starred(self, node: ast.Call) -> bool:
        """Whether what may be a function of the user's is called with the elements of something."""
        match node.func:
            case ast.Name(id=name) if self.is_builtin(name):
                return False
            case ast.Attribute(value=ast.Name(id=name)) if name in GLOBALS:
                return False
        return any(isinstance(argument, ast.Starred) for argument in node.args)

    def _starred_call(self, node: ast.Call) -> ast.AST:
        """`f(*xs, y)`: where the number of elements is not known, it is known what is called."""
        parts = [
            e.value if isinstance(e, ast.Starred) else ast.copy_location(ast.Tuple([e], _LOAD), e)
            for e in node.args
        ]
        arguments = [self.visit(part) for part in (node.func, *parts)]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        function = runtime_name(node, "call_with", VOCABULARY)
        return ast.copy_location(ast.Call(function, arguments, keywords), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Call:
        self.generic_visit(node)
        called = runtime_name(node, "f_string", FUNCTIONS)
        return ast.copy_location(ast.Call(called, node.values, []), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.Call:
        conversion = ast.Constant(chr(node.conversion) if node.conversion > 0 else "")
        given = [self.visit(node.value), ast.copy_location(conversion, node)]
        if isinstance(node.format_spec, ast.JoinedStr):
            given.append(self._specification(node.format_spec))
        called = runtime_name(node, "formatted", FUNCTIONS)
        return ast.copy_location(ast.Call(called, given, []), node)

    def _specification(self, node: ast.JoinedStr) -> ast.Call:
        """The call that says how wide a text is to be, and the like; of the values themselves."""
        bare = [
            part.value
            if isinstance(part, ast.FormattedValue) and part.conversion < 0 and not part.format_spec
            else part
            for part in node.values
        ]
        called = runtime_name(node, "specification", FUNCTIONS)
        return ast.copy_location(ast.Call(called, [self.visit(part) for part in bare], []), node)


_LOAD = ast.Load()

NUMERIC = ("abs", "bool", "divmod", "float", "int", "max", "min", "pow", "round", "sum")
"""Builtins of numbers, which a plain function may call with a member's."""


class PlainOperators(Operators):
    """Sends the arithmetic of a plain function there; what it calls and takes apart stays so."""

    KEPT = (
        ast.Starred, ast.Assign, ast.For, ast.comprehension,
        ast.Set, ast.Dict, ast.SetComp, ast.DictComp,
    )  # fmt: skip

    def visit(self, node: ast.AST) -> Any:
        kept = isinstance(node, self.KEPT)
        return self.generic_visit(node) if kept else super().visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Leave its message alone: a person reads it, who knows what a placeholder is."""
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """Leave its message alone."""
        node.test = self.visit(node.test)
        return node

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """Note what is protected: Python does not catch what only some members raise."""
        self.generic_visit(node)
        if not node.handlers:
            return node
        entered = ast.Call(runtime_name(node, "protected", LOOPS), [], [])
        body = ast.With([ast.withitem(ast.copy_location(entered, node))], node.body)
        node.body = [ast.copy_location(body, node)]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in NUMERIC:
            return super().visit_Call(node)
        self.generic_visit(node)
        meant = runtime_name(node.func, "meant", VOCABULARY)
        node.func = ast.copy_location(ast.Call(meant, [node.func], []), node.func)
        return node


def _iterated(node: ast.expr, target: ast.expr | None = None) -> ast.expr:
    """Return `iterated(node, pattern)`; the target that takes each element gives the pattern."""
    pattern = _pattern(target)
    arguments = [node] if isinstance(pattern, ast.Constant) else [node, pattern]
    call = ast.Call(runtime_name(node, "iterated", FUNCTIONS), arguments, [])
    return ast.copy_location(call, node)


def _pattern(target: ast.expr | None) -> ast.expr:
    if not isinstance(target, ast.Tuple | ast.List):
        return ast.Constant(None)
    starred = any(isinstance(element, ast.Starred) for element in target.elts)
    parts = [] if starred else [_pattern(element) for element in target.elts]
    return ast.Tuple(parts, ast.Load())


def _operator_call(
    node: ast.AST, function: str, symbol: str, *operands: ast.expr, namespace: str = OPERATORS
) -> ast.Call:
    text = ast.copy_location(ast.Constant(symbol), node)
    called = runtime_name(node, function, namespace)
    return ast.copy_location(ast.Call(called, [text, *operands], []), node)


def _is_plain_place(target: ast.expr) -> bool:
    """Whether what is assigned may be evaluated twice: it is made of names and constants."""
    match target:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=owner):
            return _is_plain_place(owner)
        case ast.Subscript(value=owner, slice=index):
            return _is_plain_place(owner) and _is_plain_place(index)
    return False
