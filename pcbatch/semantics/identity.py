"""Whether two objects, dicts or lists are one, as `is` asks: told by where the program makes them.

An expression is tried on copies of what its variables have, so Python's own answer would be that of
the copies.
"""

from __future__ import annotations

import contextvars
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pcbatch.semantics import plain_classes, pytree
from pcbatch.semantics.gathering import GATHERED
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.scoped import Scoped

Decide = Callable[[Any, Any], bool | None]
"""Says whether two values are one object; None where that depends on the member."""

_DECIDE: contextvars.ContextVar[Decide | None] = contextvars.ContextVar("decide", default=None)


def known(decide: Decide) -> Scoped[Decide]:
    """Know, inside, which objects are one."""
    return Scoped(_DECIDE, decide)


def may_be_copy(value: Any) -> bool:
    """Whether a value may be a copy of an object, a dict or a list of the program's."""
    return is_object(value) or isinstance(value, (list, dict))


def is_object(value: Any) -> bool:
    """Whether a value is an object of a dataclass, or one that the program has made."""
    if isinstance(value, (type, pytree.Reference)):
        return False
    return dataclasses.is_dataclass(value) or pytree.is_made(value)


def equals_only_itself(value: Any) -> bool:
    """Whether a value is an object of a class that does not say what `==` means."""
    kind: Any = type(value)
    return kind.__eq__ is object.__eq__ and is_object(value)


class Attributes(dict[str, Any]):
    """The attributes of an object, as `__dict__` gives them within an expression.

    In Python it is the dict that the object has; kept, it would see no change of the object.
    """

    @classmethod
    def of(cls, value: Any) -> Attributes:
        """Those of an object.

        Raises:
          Unsupported: some of them may be those of its class.
        """
        kind: Any = type(value)
        if pytree.is_made(value) and (found := plain_classes.defaults(kind)):
            name = next(iter(found))
            raise Unsupported(
                f"the attributes of an object are asked for, whose class has `{name}`, too",
                f"in Python the object has `{name}` where it has been assigned; here it has it "
                "from the beginning.",
                f"assign it in `__init__`, and not in the class: self.{name} = {found[name]!r}",
            )
        return cls(pytree.attributes(value))


def vars_of(value: Any) -> dict[str, Any]:
    """`vars(value)` of an object, within an expression."""
    return Attributes.of(value) if is_object(value) else vars(value)


Keys = TypeVar("Keys", bound=Iterable[Any])


def as_keys(keys: Keys) -> Keys:
    """A dict, a set, or what is put into one.

    Raises:
      Unsupported: a key is an object, and no other one equals it.
    """
    for key in keys:
        if isinstance(key, tuple):
            as_keys(key)
        elif equals_only_itself(key):
            name = type(key).__name__
            raise Unsupported(
                f"an object of `{name}` is a key of a dict, or an element of a set",
                f"`{name}` does not say what `==` means, so that Python finds an object by what it "
                "is in memory; here each value of an object is a variable of its own.",
                "take what tells the objects apart: table[state.number] = x\n"
                "or look for an object in a list: if state in states",
            )
    return keys


def refuse_number(function: str, value: Any) -> None:
    """Refuse to ask where in memory a value is.

    Raises:
      Unsupported: it may be a copy of an object, a list or a dict of the program's.
    """
    kind: Any = type(value)
    by_value = function == "hash" and kind.__hash__ is not object.__hash__
    on_heap = isinstance(value, pytree.Reference)
    if on_heap or (may_be_copy(value) and not by_value):
        raise Unsupported(
            f"{function}() is asked of a `{type(value).__name__}`",
            "it says where an object is in memory; here each value of an object is a variable of "
            "its own.",
            "compare objects: a is b",
        )


def is_one(a: Any, b: Any) -> bool:
    """Whether two values are one object.

    Raises:
      Unsupported: that depends on the member.
    """
    decide = _DECIDE.get()
    if a is b or type(a) is not type(b) or decide is None:
        return a is b
    chosen = {id(x.element) for x in GATHERED.get() or ()}
    found = None if chosen & {id(a), id(b)} else decide(a, b)
    if found is None:
        raise Unsupported(
            f"whether these are one `{type(a).__name__}` depends on the member",
            "each value of an object is a variable of its own, and what is in a list that grows, "
            "or is chosen by a member's number, is a copy.",
            "compare what tells them apart: a.number == b.number",
        )
    return found
