"""Operators of lists, sets, dicts and queues of the member, and what is said if there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pcbatch.semantics.static_values import MemberSequence, PartOfArray
from pcbatch.semantics.types import is_tensor, type_of

_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARISONS = {"<": ("lt", "gt"), "<=": ("le", "ge"), ">": ("gt", "lt"), ">=": ("ge", "le")}


def of_sequences(symbol: str, python: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """A binary operator, or a comparison, of operands of which one is a sequence of the member.

    Args:
      symbol: of the operator.
      python: Python's own function for it.
      a, b: the operands.

    Raises:
      TypeError: there is none; it names the types as Python does.
    """
    parts = any(isinstance(x, PartOfArray) for x in (a, b))
    kind: type = PartOfArray if parts else MemberSequence
    if (parts and symbol not in _NAMES) or (not parts and (is_tensor(a) or is_tensor(b))):
        return python(a, b)
    if symbol not in (*_NAMES, *_COMPARISONS):
        return python(a, b)
    names = _COMPARISONS.get(symbol) or (_NAMES[symbol], f"r{_NAMES[symbol]}")
    for owner, name, other in ((a, names[0], b), (b, names[1], a)):
        method = getattr(type(owner), f"__{name}__", None)
        if method is not None and isinstance(owner, kind):
            found = method(owner, other)
            if found is not NotImplemented:
                return found
    raise TypeError(_unsupported(symbol, type_of(a), type_of(b)))


def _unsupported(symbol: str, a: type, b: type) -> str:
    names = f"'{a.__name__}' and '{b.__name__}'"
    if a is b and _python_has(symbol, a):
        return f"`{symbol}` of {names} of the member is not known here"
    if symbol in _COMPARISONS:
        return f"'{symbol}' not supported between instances of {names}"
    return f"unsupported operand type(s) for {symbol}: {names}"


def _python_has(symbol: str, kind: type) -> bool:
    """Whether Python has the operator of two values of a type."""
    name = _COMPARISONS.get(symbol, (_NAMES.get(symbol),))[0]
    method = getattr(kind, f"__{name}__", None)
    try:
        return method is not None and method(kind(), kind()) is not NotImplemented
    except TypeError:
        return False
