"""Comparisons that a class has without saying them: of `total_ordering` and of `dataclass`.

What Python makes for them asks for truth; these functions say the same of members' values.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from pcbatch.semantics import special
from pcbatch.semantics.arithmetic import truth, unary
from pcbatch.semantics.references import is_reference, reference_kind, unsupported_reference
from pcbatch.semantics.tagged_unions import members_of

_NAMES = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq"}
_SYMBOLS = {name: symbol for symbol, name in _NAMES.items()}

Compare = Callable[[str, Any, Any], Any]


def compare(symbol: str, a: Any, b: Any, asked: Compare) -> Any:
    """What a comparison gives; NotImplemented where the class says it itself, or has none.

    Args:
      symbol: of the comparison.
      a, b: what is compared.
      asked: compares what they have.
    """
    name = "==" if symbol == "!=" else symbol
    if name not in _NAMES:
        return NotImplemented
    kind: Any = type(a)
    root = special.derived_from(kind, f"__{_NAMES[name]}__")
    if root == special.FIELDS:
        return _by_fields(symbol, a, b, asked)
    return _by_ordering(symbol, root, a, b, asked) if root in _SYMBOLS else NotImplemented


def _by_fields(symbol: str, a: Any, b: Any, asked: Compare) -> Any:
    if type(a) is not type(b):
        return NotImplemented
    if is_reference(a) and members_of(reference_kind(a)):
        raise unsupported_reference(
            a,
            f"`{symbol}` of a dataclass compares all attributes, and each class has its own",
            "compare what all of them have: a.cost < b.cost, sorted(xs, key=lambda x: x.cost)",
        )
    names = [field.name for field in dataclasses.fields(a) if field.compare]
    return asked(symbol, *(tuple(getattr(x, name) for name in names) for x in (a, b)))


def _by_ordering(symbol: str, root: str, a: Any, b: Any, asked: Compare) -> Any:
    holds = truth(asked(_SYMBOLS[root], a, b))
    own = _NAMES[symbol]
    is_same_way, is_strict = own[0] == root[0], root[1] == "t"
    if not is_same_way:
        holds = unary("not", holds)
    if not is_same_way and own[1] != root[1]:
        return holds  # `>=` is what `<` is not
    if is_strict == is_same_way:
        return tf.logical_or(holds, truth(asked("==", a, b)))
    return tf.logical_and(holds, truth(asked("!=", a, b)))
