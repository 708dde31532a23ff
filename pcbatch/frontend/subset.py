"""Which Python is accepted: every kind of syntax node is lowered, a part of one, or refused.

The check looks at the function's own code. The body of a nested function is looked at when that
function is itself lowered, since it may run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.frontend import diagnostics, scope
from pcbatch.frontend.source import Source

STATEMENTS = (
    gast.AnnAssign, gast.Assert, gast.Assign, gast.AugAssign, gast.Break, gast.ClassDef,
    gast.Continue, gast.Expr, gast.For, gast.FunctionDef, gast.If, gast.Import, gast.ImportFrom,
    gast.Match, gast.Pass, gast.Raise, gast.Return, gast.Try, gast.While, gast.With, gast.Delete,
)  # fmt: skip
"""Statements that are lowered."""

EXPRESSIONS = (
    gast.Attribute, gast.BinOp, gast.BoolOp, gast.Call, gast.Compare, gast.Constant, gast.Dict,
    gast.DictComp, gast.FormattedValue, gast.GeneratorExp, gast.IfExp, gast.JoinedStr, gast.Lambda,
    gast.List, gast.ListComp, gast.Name, gast.NamedExpr, gast.Set, gast.SetComp, gast.Slice,
    gast.Starred, gast.Subscript, gast.Tuple, gast.UnaryOp,
)  # fmt: skip
"""Expressions that are lowered."""

PARTS = (
    gast.alias, gast.arguments, gast.boolop, gast.cmpop, gast.comprehension, gast.ExceptHandler,
    gast.expr_context, gast.keyword, gast.match_case, gast.operator, gast.pattern, gast.unaryop,
    gast.withitem,
)  # fmt: skip
"""Nodes that are parts of others and are lowered, or refused, with them."""

NEVER = (
    gast.mod, gast.type_ignore, gast.TypeIgnore, gast.type_param,
    gast.Exec, gast.Print, gast.Repr, gast.Suite,
)  # fmt: skip
"""Nodes that stand only inside refused ones, around functions, or in Python 2."""

Refusal = Callable[[Span], Diagnostic]

REFUSED: dict[type[gast.AST], str] = {
    gast.AsyncFor: "AsyncSyntax",
    gast.AsyncFunctionDef: "AsyncSyntax",
    gast.AsyncWith: "AsyncSyntax",
    gast.Await: "AsyncSyntax",
    gast.TryStar: "TryStatement",
    gast.TypeAlias: "TypeStatement",
    gast.Yield: "YieldExpression",
    gast.YieldFrom: "YieldExpression",
}
"""Nodes that are refused whatever they contain, with the name of the diagnostic; other refusals
depend on what is inside."""

FRAME_FUNCTIONS = ("locals", "vars", "dir", "eval", "exec")


def check(source: Source, is_builtin: Callable[[str], bool]) -> None:
    """Refuse the first thing in a function that is not in the subset.

    Args:
      source: the function.
      is_builtin: whether a name means a Python builtin in it.

    Raises:
      ProgramError: with the diagnostic that names the place, the reason and the remedy.
    """
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        raise ProgramError(diagnostics.AsyncSyntax(source.head()))
    for part in [node.body] if isinstance(node, gast.Lambda) else node.body:
        _check(source, part, is_builtin)


def _check(source: Source, node: gast.AST, is_builtin: Callable[[str], bool]) -> None:
    always = REFUSED.get(type(node))
    refuse = getattr(diagnostics, always) if always else _refusal(node, is_builtin)
    if isinstance(node, gast.Delete) and all(isinstance(t, gast.Subscript) for t in node.targets):
        refuse = None
    if refuse is not None:
        raise ProgramError(refuse(source.span(node)))
    if (attribute := _assigned_attribute(node)) is not None:
        span = source.span(attribute)
        raise ProgramError(diagnostics.AttributeAssignment(span, attribute.attr))
    children = gast.iter_child_nodes(node)
    if isinstance(node, gast.FunctionDef):
        children = iter([*node.decorator_list, *scope.defaults(node.args)])
    elif isinstance(node, gast.Lambda):
        children = iter([*scope.defaults(node.args), node.body])
    elif isinstance(node, gast.AnnAssign):
        children = iter([node.target, *([node.value] if node.value else [])])
    for child in children:
        _check(source, child, is_builtin)


def _assigned_attribute(node: gast.AST) -> gast.Attribute | None:
    """The attribute that a loop or a `with` assigns."""
    match node:
        case gast.For(target=target) | gast.comprehension(target=target):
            parts = gast.walk(target)
        case gast.withitem(optional_vars=gast.AST() as target):
            parts = gast.walk(target)
        case _:
            return None
    return next((p for p in parts if isinstance(p, gast.Attribute) and _is_stored(p)), None)


def _is_stored(node: gast.Attribute) -> bool:
    """Whether an attribute is assigned."""
    return isinstance(node.ctx, gast.Store)


def _refusal(node: gast.AST, is_builtin: Callable[[str], bool]) -> Refusal | None:
    """Return the refusal of a node that depends on what the node contains."""
    match node:
        case gast.Global(names=names):
            return lambda span: diagnostics.GlobalStatement(span, "global", ", ".join(names))
        case gast.Nonlocal(names=names):
            return lambda span: diagnostics.GlobalStatement(span, "nonlocal", ", ".join(names))
        case gast.ClassDef(name=name, body=[_, *_]):  # the others are known, see `local_classes`
            why = "it stands in a generator"
            return lambda span: diagnostics.ClassStatement(span, name, why)
        case gast.Delete(targets=targets) if not all(isinstance(t, gast.Name) for t in targets):
            return diagnostics.DeleteStatement
        case gast.FunctionDef(name=name) if rebound := _rebound(node):
            return lambda span: diagnostics.NestedRebinds(span, name, ", ".join(rebound))
        case gast.Call(func=gast.Name(id=name)) if name in FRAME_FUNCTIONS and is_builtin(name):
            frame = name in ("locals", "eval", "exec") or not node.args
            return (lambda span: diagnostics.FrameAccess(span, name)) if frame else None
        case _ if isinstance(node, scope.COMPREHENSIONS):
            is_async = any(generator.is_async for generator in node.generators)
            return diagnostics.AsyncSyntax if is_async else None
        case _ if not isinstance(node, (*STATEMENTS, *EXPRESSIONS, *PARTS)):
            return lambda span: diagnostics.UnknownSyntax(span, type(node).__name__)
    return None


def _rebound(function: gast.FunctionDef) -> tuple[str, ...]:
    """Return the outer variables that a nested function declares `nonlocal` or `global`."""
    own = scope.local_names(function)
    names: dict[str, None] = {}
    for node in gast.walk(function):
        if isinstance(node, (gast.Nonlocal, gast.Global)):
            names.update(dict.fromkeys(name for name in node.names if name not in own))
    return tuple(names)
