"""What to say where paths meet on which a variable, or a result, is of two kinds."""

from __future__ import annotations

from pcbatch.errors import Diagnostic, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import Value
from pcbatch.infer.kinds import kind_of
from pcbatch.infer.list_values import child_values
from pcbatch.infer.maybe_none import NONE
from pcbatch.semantics.pytree import MADE, Node

_EMPTY = {"set": "set()", "dict": "{}", "deque with maxlen": "collections.deque()"}
"""What has no elements, of what cannot be None for some members."""


def none_beside(name: str, a: Value, b: Value, elsewhere: str, span: Span) -> Diagnostic | None:
    """Say that a variable is None on one path and a set, a dict or a queue on another.

    Args:
      name: of the variable.
      a, b: what it is.
      elsewhere: where the other path is.
      span: where this one is.

    Returns:
      None where it is something else.
    """
    kind = _kind_beside_none(a, b)
    return report.NoneBeside(span, name, kind, _EMPTY[kind], elsewhere) if kind else None


def none_beside_result(
    name: str, a: Value, b: Value, elsewhere: str, span: Span
) -> Diagnostic | None:
    """The same of what a function returns."""
    kind = _kind_beside_none(a, b)
    return report.NoneBesideResult(span, name, kind, _EMPTY[kind], elsewhere) if kind else None


def _kind_beside_none(a: Value, b: Value) -> str:
    """The kind of what is beside None, if it cannot be None for some members; else ""."""
    kind = kind_of(a if b.leaf == NONE else b) if NONE in (a.leaf, b.leaf) else ""
    kind = "deque with maxlen" if kind == "deque" else kind  # others are on the heap
    return kind if kind in _EMPTY else ""


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
