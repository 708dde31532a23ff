"""Which methods of the user's may stand for one operation of an expression."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from typing import Any

from pcbatch.semantics import total_ordering
from pcbatch.semantics.arithmetic import truth, unary
from pcbatch.semantics.special import BINARY, BUILTINS, COMPARE, TRUTH, UNARY, asks_second, is_users


@dataclasses.dataclass(frozen=True)
class Operation:
    """One operation, as far as methods of its operands may say what it gives.

    Attributes:
      own: the methods of the first operand; the first one that it has says so.
      reflected: the method of the second operand, where the first has none.
      mirrors: that is asked of an object of the same class, too, as a comparison is.
      negates: the result is whether that does not hold.
      is_truth: the result is whether that is true.
      is_property: the method is that of a property.
      asked: methods that these may ask, where Python has written these.
    """

    own: tuple[str, ...]
    reflected: str = ""
    mirrors: bool = False
    negates: bool = False
    is_truth: bool = False
    is_property: bool = False
    asked: tuple[str, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        own = (*self.own, self.reflected) if self.reflected else self.own
        return (*own, *self.asked)

    def chosen(self, kinds: tuple[type | None, ...]) -> Chosen | None:
        """The method that Python calls; None where no operand is an object that has one.

        Args:
          kinds: the classes of the operands; None for what is no object of the user's.
        """
        first, second = kinds[0], kinds[1] if len(kinds) > 1 else None
        own = self._of(first, self.own, False)
        if not self.reflected or (first is second and not self.mirrors):
            return own
        other = self._of(second, (self.reflected,), True)
        is_first = first is not None and second is not None and asks_second(first, second)
        return (other or own) if is_first else (own or other)

    def _of(self, kind: type | None, names: tuple[str, ...], swapped: bool) -> Chosen | None:
        for name in names if kind is not None else ():
            found = inspect.getattr_static(kind, name, None)
            function = found.fget if isinstance(found, property) else found
            if isinstance(found, property) != self.is_property:
                return None
            if self.asked and (made := total_ordering.made(kind, name)) is not None:
                return Chosen(made, swapped, None)
            if is_users(function):
                return Chosen(function, swapped, self._after(name))
            if found is not None and name not in _OF_OBJECT:
                return None
        return None

    def _after(self, name: str) -> Callable[[Any], Any] | None:
        if self.negates or (name == "__eq__" and "__ne__" in self.own):
            return _not
        return truth if self.is_truth else None


_OF_OBJECT = ("__eq__", "__ne__")
"""Methods that each object has."""


def _not(value: Any) -> Any:
    return unary("not", value)


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A method that an operation calls.

    Attributes:
      function: the method.
      swapped: it is of the second operand.
      after: makes the operation's result of the method's; None where they are the same.
    """

    function: types.FunctionType
    swapped: bool
    after: Callable[[Any], Any] | None


def binary(symbol: str) -> Operation:
    """`a + b` and its like."""
    return Operation((f"__{BINARY[symbol]}__",), f"__r{BINARY[symbol]}__")


def augmented(symbol: str) -> Operation:
    """`a += b` and its like."""
    plain = binary(symbol)
    return dataclasses.replace(plain, own=(f"__i{BINARY[symbol]}__", *plain.own))


def comparison(symbol: str) -> Operation | None:
    """`a < b` and its like; of `a in b`, `b` is the first operand."""
    if symbol in ("in", "not in"):
        return Operation(("__contains__",), negates=symbol == "not in", is_truth=symbol == "in")
    if symbol not in COMPARE:
        return None
    name, mirrored = COMPARE[symbol]
    if symbol in ("==", "!="):
        return Operation((name, "__eq__") if symbol == "!=" else (name,), mirrored, mirrors=True)
    return Operation((name,), mirrored, mirrors=True, asked=total_ordering.ASKED)


def of_unary(symbol: str) -> Operation:
    """`-a`, `not a` and their like."""
    if symbol == "not":
        return Operation(TRUTH, negates=True)
    return Operation((UNARY[symbol],))


def of_builtin(name: str) -> Operation | None:
    """`len(a)` and its like."""
    if name == "bool":
        return Operation(TRUTH, is_truth=True)
    named = {function.__name__: method for function, method in BUILTINS.items()}
    return Operation((named[name],)) if name in named else None


ITEM = Operation(("__getitem__",))


def attribute(name: str) -> Operation:
    """`a.name`, which may be a property."""
    return Operation((name,), is_property=True)
