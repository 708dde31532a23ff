"""What variables and results are where paths meet, and what to say where they are of two types."""

from __future__ import annotations

from pcbatch.errors import ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.domain import BufferRef, Value
from pcbatch.infer.heap import Heap
from pcbatch.infer.instance import Binding
from pcbatch.infer.lists import Lists
from pcbatch.infer.maybe_none import has_no_end, with_nones
from pcbatch.infer.meeting import Conflict, is_of_signs, join
from pcbatch.infer.two_kinds import attribute_beside, none_beside


def joined_bindings(
    name: str, old: Binding, new: Binding, lists: Lists, heap: Heap, flagged: bool = False
) -> Binding:
    """What a variable is where two paths meet.

    Args:
      name: of the variable.
      old, new: what it is on both.
      lists, heap: how lists and objects are kept.
      flagged: where it has no value a flag says so, see `unbound`.

    Raises:
      ProgramError: it is of two types.
      Replan: the lists that it has on the paths can be made alike.
    """
    if old.value is None or new.value is None:
        return (new if old.value is None else old) if flagged else Binding(None, old.span)
    try:
        joined = joined_values(old.value, new.value)
    except Conflict as c:
        lists.reconcile(old.value, new.value)
        heap.note_met(old.value.tree, new.value.tree)
        where = elsewhere(old.span, new.span)
        both = isinstance(c.left, BufferRef) and isinstance(c.right, BufferRef)
        kind = report.BufferConflict if both else report.JoinConflict
        kind = report.UnsignedConflict if is_of_signs(c) else kind
        known = (name, old.value, new.value, where, new.span)
        beside = none_beside(*known) or attribute_beside(*known)
        raise ProgramError(
            beside or kind(new.span, name + c.path, str(c.right), str(c.left), where)
        ) from None
    check_end(joined, f"`{name}`", new.span, heap)
    return Binding(joined, old.span)


def check_end(value: Value, what: str, span: Span, heap: Heap) -> None:
    """Refuse a structure that has one of its kind inside, and so on without end."""
    if has_no_end(value.tree):
        heap.note_end(value.tree)
        raise ProgramError(report.StructureWithoutEnd(span, what))


def joined_values(a: Value, b: Value) -> Value:
    """What two values have in common; one that is None beside one that is not may be None.

    Raises:
      Conflict: their structures differ, or two leaves do.
    """
    try:
        return join(a, b)
    except Conflict:
        first, second = with_nones(a, b)
        if first is a and second is b:
            raise
        return join(first, second)


def elsewhere(first: Span, second: Span) -> str:
    """Where another path comes from, in a message."""
    return f"at line {first.line}" if first.line != second.line else "on the other path"
