"""What Python's operators mean on the values of one member.

The frontend sends every operator of the user's program here. A tensor that stands for a Python
scalar (a loop counter, say) is *weak*, as in JAX; which tensors are is known to the `weak_scope` in
which the code is traced.
"""

from __future__ import annotations

from typing import Any

from pcbatch.semantics import maybe_none, pytree, special
from pcbatch.semantics.arithmetic import binary, holds_tensor, truth, unary
from pcbatch.semantics.comparisons import compare
from pcbatch.semantics.indexing import indexed as _indexed
from pcbatch.semantics.meanings import Meanings, contents
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.promotion import (
    DoesNotFit,
    fits,
    is_tensor,
    is_weak,
    mark_weak,
    promote,
    weak_scope,
)
from pcbatch.semantics.numbers.widths import kind
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.static_values import MemberSequence

__all__ = [
    "DoesNotFit", "binary", "compare", "fits", "holds_tensor", "indexed", "is_tensor", "is_weak",
    "kind", "mark_weak", "promote", "truth", "unary", "weak_scope",
]  # fmt: skip


def indexed(value: Any, *texts: str, adding: bool = False) -> Any:
    """What `value[...]` is looked up in; see `indexing.indexed`."""
    value = maybe_none.subscripted(value) if isinstance(value, MaybeNone) else value
    if looked_up := Meanings.looked_up.get(type(value)):
        return looked_up(value, texts)
    value = contents(value)
    found = special.items_of(value)
    return _indexed(value, *texts, adding=adding) if found is None else found


def subject(value: Any) -> Any:
    """What a `match` in a plain function is about.

    Raises:
      OnlyInProgram: there is a value of the member in it, of which patterns would ask what it is.
    """
    parts = [value, *pytree.flatten(value)[0]]
    if any(holds_tensor(part) or isinstance(part, MemberSequence) for part in parts):
        raise OnlyInProgram("a value of the member is matched")
    return value
