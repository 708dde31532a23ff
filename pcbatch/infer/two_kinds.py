"""What to say of results that are None for some members, and of variables of two kinds."""

from __future__ import annotations

import linecache
import re

import tensorflow as tf

from pcbatch.errors import Diagnostic, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import Static, Value, as_tensor, is_number
from pcbatch.infer.kinds import kind_of
from pcbatch.infer.list_values import child_values
from pcbatch.infer.maybe_none import NONE, is_maybe
from pcbatch.semantics.pytree import MADE, Node

_RETURN = re.compile(r"\s*return (.+)")


def none_for_some(result: Value, span: Span) -> report.NoneForSome:
    """Say that a result may be None.

    Args:
      result: it has a value that may be None, itself or in one of its parts.
      span: of a `return` that gives it.
    """
    returned = _RETURN.fullmatch(linecache.getline(span.file, span.line).rstrip())
    expression = returned[1] if returned and span.line == span.end_line else "best"
    if is_maybe(result.tree):
        name = expression if expression.isidentifier() else "y"
        first = [] if name == expression else [f"{name} = {expression}"]
        lines = [*first, f"return {_instead(name, result)}"]
    else:
        parts = [(f"y{k}", part) for k, (_, part) in enumerate(child_values(result))]
        name = next((name for name, part in parts if is_maybe(part.tree)), "best")
        taken = f"{', '.join(name for name, _ in parts)} = {expression}"
        chosen = (f"({_instead(n, x)})" if is_maybe(x.tree) else n for n, x in parts)
        lines = [taken, f"return {', '.join(chosen)}"]
    return report.NoneForSome(span, "the result", name, "\n".join(lines))


def none_beside(name: str, a: Value, b: Value, elsewhere: str, span: Span) -> Diagnostic | None:
    """Say that a variable is None on one path and an array or a list on another.

    Args:
      name: of the variable.
      a, b: what it is.
      elsewhere: where the other path is.
      span: where this one is.

    Returns:
      None where it is something else.
    """
    other = a if b.leaf == NONE else b
    if NONE not in (a.leaf, b.leaf) or not all(map(is_number, other.leaves)):
        return None
    return report.NoneBeside(span, name, str(other), _literal(other), elsewhere)


def attribute_beside(
    name: str, a: Value, b: Value, elsewhere: str, span: Span
) -> Diagnostic | None:
    """Say that an object has an attribute on one path.

    Arguments and result are as for `none_beside`.
    """
    if not (isinstance(a.tree, Node) and isinstance(b.tree, Node)):
        return None
    if a.tree.meta != MADE or b.tree.meta != MADE or a.tree.type is not b.tree.type:
        return None
    attribute = min({*a.tree.keys} ^ {*b.tree.keys}, default="")
    if attribute:
        kind, where = a.tree.type.__name__, elsewhere.removeprefix("at ")
        return report.AttributeOnOnePath(span, name, attribute, kind, where)
    parts = zip(child_values(a), child_values(b), strict=True)
    inner = (attribute_beside(f"{name}.{k}", x, y, elsewhere, span) for (k, x), (_, y) in parts)
    return next(filter(None, inner), None)


def _instead(name: str, value: Value) -> str:
    return f"{_literal(value)} if {name} is None else {name}"


def _literal(value: Value) -> str:
    """A literal of the same kind that means none."""
    if is_maybe(value.tree):
        return _literal(dict(child_values(value))["value"])
    leaf = value.leaf
    if leaf is None:
        parts = [_literal(part) for _, part in child_values(value)]
        opening, closing = "[]" if kind_of(value) == "list" else "()"
        return f"{opening}{', '.join(parts)}{',' * (len(parts) == 1)}{closing}"
    if not is_number(leaf):
        return repr(leaf.value) if isinstance(leaf, Static) else "-1"
    shape = as_tensor(leaf).type.shape
    if shape:
        return f"np.zeros({shape})"
    dtype = tf.as_dtype(as_tensor(leaf).type.dtype)
    if dtype == tf.bool:
        return "False"
    if dtype.is_floating:
        return 'float("nan")'
    return "0" if dtype.is_unsigned else "-1"
