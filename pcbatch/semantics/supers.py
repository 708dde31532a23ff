"""`super()` in a method of an object of a tagged union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcbatch.semantics.references import is_reference, reference_kind, unsupported_reference
from pcbatch.semantics.tagged_unions import members_of

_MISSING = object()


def super_of(kind: type, value: Any) -> Any:
    """`super(kind, value)` of a reference to an object of a union."""
    members = members_of(reference_kind(value)) if is_reference(value) else ()
    return _Super(kind, value, members) if members else super(kind, value)


class _Super:
    """Looks up what the classes behind one have, in the order of an object's own class.

    Args:
      kind: the class.
      value: the reference.
      members: the classes that the object may be of.
    """

    def __init__(self, kind: type, value: Any, members: Sequence[type]):
        self._kind, self._value = kind, value
        self._members = [member for member in members if issubclass(member, kind)]

    def __getattr__(self, name: str) -> Any:
        found = [self._of(member, name) for member in self._members]
        if any(x is not found[0] for x in found):
            kinds = " and ".join(member.__name__ for member in self._members)
            remedy = f"name the class that has it: {self._kind.__bases__[0].__name__}.{name}(self)"
            said = f"`super().{name}` is not the same for {kinds}"
            raise unsupported_reference(self._value, said, remedy)
        if found[0] is _MISSING:
            raise AttributeError(f"'super' object has no attribute '{name}'")
        return found[0].__get__(self._value, reference_kind(self._value))

    def _of(self, member: type, name: str) -> Any:
        order = member.__mro__[member.__mro__.index(self._kind) + 1 :]
        return next((vars(base)[name] for base in order if name in vars(base)), _MISSING)
