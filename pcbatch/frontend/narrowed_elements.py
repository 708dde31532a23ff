"""Conditions that say that an element is not None: `if memo[k] is not None:`.

What reads the element behind such a condition, before anything may have changed it, is marked:
there it is the value, as a variable is in `narrowing`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import gast

from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.operands import operands, replace_operands

_LEAVE = (gast.Return, gast.Raise, gast.Continue, gast.Break)
_SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.Expr, gast.Raise)
_GO_ON = (gast.If, gast.Continue, gast.Break, gast.Pass)
_CHANGE_NOTHING = frozenset({
    "abs", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance", "len", "max",
    "min", "pow", "range", "round", "sum", "zip",
})  # fmt: skip
_MARK = "is_not_none"

AnyNode = TypeVar("AnyNode", bound=gast.AST)


@dataclasses.dataclass
class _Element:
    """An element that is not None.

    Attributes:
      text: the expression, without its place in the source.
      names: that it reads; where one is assigned it is another element.
      changed: something may have changed the element.
    """

    text: str
    names: frozenset[str]
    changed: bool = False


def is_marked(node: gast.AST) -> bool:
    """Whether an expression is an element that is known not to be None."""
    return getattr(node, _MARK, False)


def unmarked(node: gast.Subscript) -> gast.Subscript:
    """The same expression, of which nothing is known."""
    node = copy.copy(node)
    delattr(node, _MARK)
    return node


def conditional(b: Builder, node: gast.If) -> gast.If:
    """An `if`, in whose branches such elements are marked."""
    body = _body(b, node.body, _found(node.test, True))
    orelse = _body(b, node.orelse, _found(node.test, False))
    return _with(node, body=body, orelse=orelse)


def loop(b: Builder, node: gast.While) -> gast.While:
    """A `while`, in whose body they are marked."""
    return _with(node, body=_body(b, node.body, _found(node.test, True)))


def choice(b: Builder, node: gast.IfExp) -> gast.IfExp:
    """A conditional expression, in whose arms they are marked."""
    body = _marked(b, node.body, _found(node.test, True))
    orelse = _marked(b, node.orelse, _found(node.test, False))
    return _with(node, body=body, orelse=orelse)


def operation(b: Builder, node: gast.BoolOp) -> gast.BoolOp:
    """An `and`, or an `or`, in whose later operands they are marked."""
    values, known = list[gast.expr](), list[_Element]()
    for value in node.values:
        values.append(_marked(b, value, known))
        known = [x for x in known if not x.changed]
        known += _found(value, isinstance(node.op, gast.And))
    return _with(node, values=values)


def comprehension(b: Builder, node: gast.expr) -> gast.expr:
    """A comprehension, in whose elements they are marked."""
    conditions = (condition for generator in node.generators for condition in generator.ifs)
    known = [element for condition in conditions for element in _found(condition, True)]
    parts = ("key", "value") if isinstance(node, gast.DictComp) else ("elt",)
    return _with(node, **{name: _marked(b, getattr(node, name), known) for name in parts})


def behind(b: Builder, node: gast.stmt, later: Sequence[gast.stmt]) -> Sequence[gast.stmt]:
    """The statements after one like `if memo[k] is None: return`."""
    leaves = isinstance(node, gast.If) and not node.orelse and isinstance(node.body[-1], _LEAVE)
    return _body(b, later, _found(node.test, False)) if leaves else later


def _with(node: AnyNode, **fields: object) -> AnyNode:
    """A node with other fields; itself where they are the same."""
    if all(getattr(node, name) is field for name, field in fields.items()):
        return node
    node = copy.copy(node)
    for name, field in fields.items():
        setattr(node, name, field)
    return node


# --- What a condition says ------------------------------------------------------------------------


def _found(test: gast.expr, holds: bool) -> list[_Element]:
    """The elements that are not None where a condition holds, or where it does not."""
    match test:
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return _found(operand, not holds)
        case gast.BoolOp(op=op, values=values) if isinstance(op, gast.And) == holds:
            return [found for value in values for found in _found(value, holds)]
        case gast.Compare(
            left=gast.Subscript() as left, ops=[op], comparators=[gast.Constant(value=None)]
        ) if isinstance(op, (gast.IsNot, gast.NotEq) if holds else (gast.Is, gast.Eq)):
            names = (part.id for part in gast.walk(left) if isinstance(part, gast.Name))
            return [_Element(gast.dump(left), frozenset(names))] if _is_plain(left) else []
    return []


def _is_plain(node: gast.AST) -> bool:
    """Whether an expression is of names, constants and operators, so that it calls nothing."""
    match node:
        case gast.Name() | gast.Constant():
            return True
        case gast.Subscript() | gast.Attribute() | gast.BinOp() | gast.UnaryOp() | gast.Tuple():
            return all(map(_is_plain, operands(node)))
    return False


# --- What is behind it ----------------------------------------------------------------------------


def _body(
    b: Builder, nodes: Sequence[gast.stmt], elements: Sequence[_Element]
) -> Sequence[gast.stmt]:
    """Statements in which elements are marked, as long as nothing may have changed them."""
    known, found = [dataclasses.replace(x) for x in elements], list[gast.stmt]()
    for node in nodes:
        known = [element for element in known if not element.changed]
        found.append(_statement(b, node, known) if known else node)
    return found if elements else nodes


def _statement(b: Builder, node: gast.stmt, known: Sequence[_Element]) -> gast.stmt:
    before = node
    if isinstance(node, gast.If):
        test = _marked(b, node.test, known)
        inner = [element for element in known if not element.changed]
        body, orelse = (_body(b, part, inner) for part in (node.body, node.orelse))
        node = _with(node, test=test, body=body, orelse=orelse)
    elif isinstance(node, _SIMPLE) and getattr(node, "value", None) is not None:
        node = _with(node, value=_marked(b, node.value, known))
    assigned = scope.bound_names([before])
    for element in known:
        element.changed |= bool(element.names & assigned) or _may_change(b, before)
    return node


def _may_change(b: Builder, node: gast.stmt) -> bool:
    """Whether a statement may change an element of something."""
    is_known = isinstance(node, (*_SIMPLE, *_GO_ON))
    return not is_known or any(not _changes_nothing(b, part) for part in gast.walk(node))


def _changes_nothing(b: Builder, node: gast.AST) -> bool:
    """Whether an operation, apart from its operands, is known to change nothing."""
    match node:
        case gast.Call(func=gast.Name(id=name)):
            return name in _CHANGE_NOTHING and b.is_builtin(name)
        case gast.Subscript(ctx=ctx) | gast.Attribute(ctx=ctx):
            return isinstance(ctx, gast.Load)
        case gast.AugAssign() | gast.Call() | gast.Await() | gast.Yield() | gast.YieldFrom():
            return False
    return True


def _marked(b: Builder, node: gast.AST, known: Sequence[_Element]) -> gast.AST:
    """An expression in which elements are marked, up to the first call that may change them."""
    texts = {element.text for element in known if not element.changed}
    if not texts or isinstance(node, (gast.Lambda, *scope.COMPREHENSIONS)):
        return node
    if isinstance(node, gast.Subscript) and gast.dump(node) in texts:
        node = copy.copy(node)
        setattr(node, _MARK, True)
        return node
    parts = _values(node)
    new = [_marked(b, part, known) for part in parts]
    if any(a is not b for a, b in zip(parts, new, strict=True)):
        node = copy.deepcopy(node)
        replace_operands(node, {id(a): b for a, b in zip(_values(node), new, strict=True)})
    for element in known:
        element.changed |= not _changes_nothing(b, node)
    return node


def _values(node: gast.AST) -> list[gast.AST]:
    """The operands whose values matter, and not only what is in them."""
    parts = operands(node)
    return parts[1:] if isinstance(node, (gast.Attribute, gast.Subscript)) else parts
