"""A value that is None for some members; `maybe_none` says what may be done with it."""

from __future__ import annotations

import dataclasses
from typing import Any

from pcbatch.semantics.misuse import Unsupported, refusing


def used() -> Unsupported:
    """What to say of a use that has no meaning on a value that is None for some members."""
    return Unsupported(
        "a value that is None for some members is used",
        "operators, comparisons and subscripts stop the members for which it is None, as Python "
        "does; nothing else takes it.",
        "ask first, by its name:\nif best is not None:\n    y = abs(best)",
    )


refuse = refusing(used)


@dataclasses.dataclass(eq=False, repr=False)
class MaybeNone:
    """A value, or None.

    What Python itself would do with the object, its truth, equality, hash, text and elements, is
    refused.

    Attributes:
      there: whether it is the value: a bool, or a bool scalar.
      value: a structure of numbers; where there is none, any.
    """

    there: Any
    value: Any

    __bool__ = __eq__ = __hash__ = __iter__ = __len__ = refuse
    __repr__ = __str__ = __format__ = refuse
