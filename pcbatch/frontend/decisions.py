"""What Python decides by the truth of a value, in expressions that run as plain Python."""

from __future__ import annotations

import ast

from pcbatch.frontend.runtime_names import CONDITIONAL, OPERATORS

_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def runtime_name(node: ast.AST, name: str, namespace: str = OPERATORS) -> ast.Attribute:
    """A name of a function of `runtime_names.RUNTIME`; it stands where the node does."""
    module = ast.copy_location(ast.Name(namespace, ast.Load()), node)
    return ast.copy_location(ast.Attribute(module, name, ast.Load()), node)


def condition(node: ast.expr) -> ast.expr:
    """The truth of an expression, which Python asks for: of an object its own special methods."""
    if isinstance(node, ast.Compare | ast.Constant):
        return node
    return ast.copy_location(ast.Call(runtime_name(node, "truth"), [node], []), node)


class Decisions(ast.NodeTransformer):
    """Sends conditions to `semantics.operators`, and those in lambdas to `semantics.conditional`.

    A comprehension, and a function with a `def`, may become blocks of the program where Python
    cannot decide; a lambda that is handed over cannot.
    """

    _within_lambda = False

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Rewrite a lambda."""
        before, self._within_lambda = self._within_lambda, _is_plain(node)
        self.generic_visit(node)
        self._within_lambda = before
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Rewrite `a if test else b`."""
        self.generic_visit(node)
        if self._within_lambda:
            return _conditional(node, "if_else", node.test, node.body, node.orelse)
        node.test = condition(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Rewrite `a and b` and `a or b`."""
        self.generic_visit(node)
        if not self._within_lambda:
            return node
        name = "both" if isinstance(node.op, ast.And) else "either"
        *before, found = node.values
        for value in reversed(before):
            found = _conditional(node, name, value, found)
        return found

    def chain(self, node: ast.Compare) -> ast.expr:
        """Rewrite `a < b < c`, of which what is in the middle is looked up twice."""
        values = [node.left, *node.comparators]
        plain = all(isinstance(value, ast.Name | ast.Constant) for value in values[1:-1])
        if not (self._within_lambda and plain):
            return node
        pairs = zip(values, node.ops, values[1:], strict=False)
        parts: list[ast.expr] = [
            ast.copy_location(ast.Compare(a, [op], [b]), node) for a, op, b in pairs
        ]
        return self.visit(ast.copy_location(ast.BoolOp(ast.And(), parts), node))

    def visit_If(self, node: ast.If) -> ast.If:
        """Rewrite a condition in a nested function that runs as plain Python."""
        self.generic_visit(node)
        node.test = condition(node.test)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        """Rewrite the condition of a loop there."""
        self.generic_visit(node)
        node.test = condition(node.test)
        return node

    def visit_Match(self, node: ast.Match) -> ast.Match:
        """Rewrite what is matched there: Python's own patterns ask a tensor for its class."""
        self.generic_visit(node)
        subject = runtime_name(node.subject, "subject")
        node.subject = ast.copy_location(ast.Call(subject, [node.subject], []), node.subject)
        return node


def _is_plain(node: ast.Lambda) -> bool:
    """Whether parts of a lambda may stand in lambdas of their own."""
    return not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _conditional(node: ast.expr, name: str, test: ast.expr, *ways: ast.expr) -> ast.expr:
    function = runtime_name(node, name, CONDITIONAL)
    later = [ast.copy_location(ast.Lambda(_NO_ARGUMENTS, way), way) for way in ways]
    return ast.copy_location(ast.Call(function, [test, *later], []), node)
