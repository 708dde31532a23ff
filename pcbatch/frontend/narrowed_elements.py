"""Elements and attributes that are not None: `if memo[k] is not None:`, `self.best = value`.

What reads one behind that, before anything may have changed it, is marked: there it is the value,
as a variable is in `narrowing`. Whether an assigned value may be None is known when types are; so
a mark has a variable, the witness, which is not None where the element is not. A property, or an
operator of the user's, may change an element unseen; so what a mark says is checked.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import gast

from pcbatch import ir
from pcbatch.frontend import scope
from pcbatch.frontend.builder import Builder
from pcbatch.frontend.operands import operands, replace_operands

SIMPLE = (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Return, gast.Expr, gast.Raise)
_GO_ON = (gast.If, gast.While, gast.For, gast.Continue, gast.Break, gast.Pass)
_CHANGE_NOTHING = frozenset({
    "abs", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance", "len", "max",
    "min", "pow", "range", "round", "sum", "zip",
})  # fmt: skip
_MARK = "is_not_none"

AnyNode = TypeVar("AnyNode", bound=gast.AST)


@dataclasses.dataclass
class Element:
    """An element, or an attribute, that is not None.

    Attributes:
      node: the expression.
      text: the same, without its place in the source.
      names: that it reads; where one is assigned it is another element.
      witness: gives the variable that is None where the element is; "": it is never None. The
        statements before may get the variable then.
      changed: something may have changed the element.
    """

    node: gast.expr
    text: str
    names: frozenset[str]
    witness: Callable[[], ir.Variable]
    changed: bool = False


def witness_of(node: gast.AST) -> ir.Variable | None:
    """Of an element that is not None where a variable is not, the variable; None of any other."""
    return getattr(node, _MARK, None)


def is_marked(node: gast.AST) -> bool:
    """Whether an expression is such an element."""
    return witness_of(node) is not None


def unmarked(node: AnyNode) -> AnyNode:
    """The same expression, of which nothing is known."""
    node = copy.copy(node)
    delattr(node, _MARK)
    return node


def choice(b: Builder, node: gast.IfExp) -> gast.IfExp:
    """A conditional expression, in whose arms they are marked."""
    then = marked(b, node.body, not_none(b, node.test, True))
    orelse = marked(b, node.orelse, not_none(b, node.test, False))
    return replaced(node, body=then, orelse=orelse)


def operation(b: Builder, node: gast.BoolOp) -> gast.BoolOp:
    """An `and`, or an `or`, in whose later operands they are marked."""
    values, known = list[gast.AST](), list[Element]()
    for value in node.values:
        values.append(marked(b, value, known))
        known = [x for x in known if not x.changed]
        known += not_none(b, value, isinstance(node.op, gast.And))
    same = all(new is old for new, old in zip(values, node.values, strict=True))
    return node if same else replaced(node, values=values)


def comprehension(b: Builder, node: gast.expr) -> gast.expr:
    """A comprehension, in whose elements they are marked."""
    conditions = (condition for generator in node.generators for condition in generator.ifs)
    known = [element for condition in conditions for element in not_none(b, condition, True)]
    parts = ("key", "value") if isinstance(node, gast.DictComp) else ("elt",)
    return replaced(node, **{name: marked(b, getattr(node, name), known) for name in parts})


def replaced(node: AnyNode, **fields: object) -> AnyNode:
    """A node with other fields; itself where they are the same."""
    if all(getattr(node, name) is field for name, field in fields.items()):
        return node
    node = copy.copy(node)
    for name, field in fields.items():
        setattr(node, name, field)
    return node


# --- What is known --------------------------------------------------------------------------------


def not_none(b: Builder, test: gast.AST, holds: bool) -> list[Element]:
    """The elements that are not None where a condition holds, or where it does not."""
    match test:
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return not_none(b, operand, not holds)
        case gast.BoolOp(op=op, values=values) if isinstance(op, gast.And) == holds:
            known = list[Element]()
            for value in values:
                known = [*unchanged(b, value, known), *not_none(b, value, holds)]
            return known
        case gast.Compare(
            left=gast.Subscript() | gast.Attribute() as left,
            ops=[op],
            comparators=[gast.Constant(value=None)],
        ) if isinstance(op, (gast.IsNot, gast.NotEq) if holds else (gast.Is, gast.Eq)):
            return [element_of(left, lambda: "")] if is_plain(left) else []
    return []


def element_of(
    node: gast.expr, witness: Callable[[], ir.Variable], names: Iterable[str] = ()
) -> Element:
    node = replaced(node, ctx=gast.Load()) if isinstance(node.ctx, gast.Store) else node
    read = {part.id for part in gast.walk(node) if isinstance(part, gast.Name)}
    return Element(node, gast.dump(node), frozenset({*read, *names}), witness)


def is_plain(node: gast.AST) -> bool:
    """Whether an expression is of names, constants and operators, so that it calls nothing."""
    match node:
        case gast.Name() | gast.Constant():
            return True
        case gast.Subscript() | gast.Slice() | gast.Attribute() | gast.Tuple():
            return all(map(is_plain, operands(node)))
        case gast.BinOp() | gast.UnaryOp():
            return all(map(is_plain, operands(node)))
    return False


# --- What is behind it ----------------------------------------------------------------------------


def unchanged(b: Builder, node: gast.AST, known: Sequence[Element]) -> list[Element]:
    """The elements that a statement, or an expression, does not change."""
    if not known or _may_change(b, node):
        return []
    assigned = scope.bound_names([node])
    return [x for x in known if not (x.changed or x.names & assigned)]


def _may_change(b: Builder, node: gast.AST) -> bool:
    """Whether a statement, or an expression, may change an element of something."""
    is_known = isinstance(node, (*SIMPLE, *_GO_ON, gast.expr))
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


def marked(b: Builder, node: gast.AST, known: Sequence[Element]) -> gast.AST:
    """An expression in which elements are marked, up to the first call that may change them."""
    known = [element for element in known if not element.changed]
    if not known or isinstance(node, (gast.Lambda, *scope.COMPREHENSIONS)):
        return node
    if isinstance(node, (gast.Subscript, gast.Attribute)):
        text = gast.dump(node)
        for element in known:
            if element.text == text:
                return mark(node, element.witness())
    parts = _values(node)
    new = [marked(b, part, known) for part in parts]
    if any(a is not b for a, b in zip(parts, new, strict=True)):
        node = copy.deepcopy(node)
        replace_operands(node, {id(a): b for a, b in zip(_values(node), new, strict=True)})
    for element in known:
        rebound = isinstance(node, gast.NamedExpr) and node.target.id in element.names
        element.changed |= rebound or not _changes_nothing(b, node)
    return node


def mark(node: AnyNode, witness: ir.Variable) -> AnyNode:
    node = copy.copy(node)
    setattr(node, _MARK, witness)
    return node


def _values(node: gast.AST) -> list[gast.AST]:
    """The operands whose values matter, and not only what is in them."""
    parts = operands(node)
    return parts[1:] if isinstance(node, (gast.Attribute, gast.Subscript)) else parts
