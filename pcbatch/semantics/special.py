"""Objects of the user's classes: what operators and builtins mean is in their special methods.

Those methods are plain functions of the user's, and are run as such, with the operators of a
program. So a result may be a member's value where Python itself insists on a bool or a number, and
a NamedTuple that says what `<` means is not compared as a tuple.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import types
from collections.abc import Callable
from typing import Any, TypeGuard

from pcbatch.semantics import misuse, plain_classes
from pcbatch.semantics.pytree import Reference, standing
from pcbatch.semantics.tagged_unions import members_of
from pcbatch.semantics.user_code import is_typed_by_user

Method = Callable[..., Any]

BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
COMPARE = {
    "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"), ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"), "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"),
}  # fmt: skip
BUILTINS: dict[Any, str] = {
    abs: "__abs__", float: "__float__", int: "__int__", len: "__len__", round: "__round__",
    divmod: "__divmod__", complex: "__complex__", reversed: "__reversed__", str: "__str__",
    repr: "__repr__",
}  # fmt: skip
TRUTH = ("__bool__", "__len__")
"""The methods that say which objects are true: the first one that a class has."""


def is_users(function: Any) -> TypeGuard[types.FunctionType]:
    """Whether something is a function that the user has typed."""
    if not isinstance(function, types.FunctionType):
        return False
    return is_typed_by_user(function.__code__.co_filename)


def says(kind: Any, name: str) -> bool:
    """Whether a class of the user's has a method, which it, or Python for it, has written."""
    return _named(kind, name) is not None or derived_from(kind, name) != ""


@functools.lru_cache(maxsize=1024)
def _named(kind: Any, name: str) -> Any:
    """What a class of the user's has by a name; None where that is not written by the user."""
    if issubclass(kind, Reference):  # its class has methods of its own, which refuse
        kind = kind.__pcbatch_kind__
    found = inspect.getattr_static(kind, name, None)
    return found if is_users(found) else None


def method(value: Any, name: str) -> Method | None:
    """The special method of an object, ready to be called; None where it is not the user's."""
    value = standing(value)
    kind: Any = type(value)
    found = _named(kind, name)
    return functools.partial(misuse.call, found, value) if found is not None else None


def _first(*calls: tuple[Method | None, Any]) -> Any:
    """What the first method gives that knows what to do with the other operand."""
    for function, other in calls:
        if function is not None and (result := function(other)) is not NotImplemented:
            return result
    return NotImplemented


def _settles(own: Method | None, a: Any, b: Any) -> bool:
    """Whether the operator is that of tuples, which does not ask the other operand."""
    return own is None and isinstance(a, (tuple, list)) and isinstance(b, (tuple, list))


def asks_second(first: type, second: type) -> bool:
    """Whether Python asks the second operand first: its class is derived from the first one's."""
    return first is not second and issubclass(second, first)


def _of_two(own: Method | None, other: Method | None, a: Any, b: Any) -> Any:
    """What a method of the first operand gives, or one of the second, in Python's order."""
    calls = [(own, b), (other, a)]
    if asks_second(type(a), type(b)):
        return _first(*reversed(calls))
    return NotImplemented if _settles(own, a, b) else _first(*calls)


def binary(symbol: str, a: Any, b: Any) -> Any:
    """What an operator gives; NotImplemented where no method of the user's says."""
    name = BINARY[symbol]
    reflected = method(b, f"__r{name}__") if type(a) is not type(b) else None
    return _of_two(method(a, f"__{name}__"), reflected, a, b)


def augmented(symbol: str, a: Any, b: Any) -> Any:
    """What `a += b` assigns; NotImplemented where no method of the user's says."""
    return _first((method(a, f"__i{BINARY[symbol]}__"), b))


def compare(symbol: str, a: Any, b: Any) -> Any:
    """What a comparison gives; NotImplemented where no method of the user's says."""
    if symbol not in COMPARE:
        return NotImplemented
    name, mirrored = COMPARE[symbol]
    return _of_two(method(a, name), method(b, mirrored), a, b)


def unary(symbol: str, a: Any) -> Any:
    """What `-a`, `+a` or `~a` gives; NotImplemented where no method of the user's says."""
    function = method(a, UNARY[symbol])
    return function() if function is not None else NotImplemented


def truth(value: Any) -> Any:
    """What `bool(value)` asks an object; NotImplemented where no method of the user's says."""
    function = next(filter(None, (method(value, name) for name in TRUTH)), None)
    return function() if function is not None else NotImplemented


class _Items:
    """What an object is indexed through whose class says what an index means."""

    def __init__(self, item: Method):
        self.item = item

    def __getitem__(self, index: Any) -> Any:
        return self.item(index)


def items_of(value: Any) -> _Items | None:
    """What `value[...]` is looked up in; None where no method of the user's says."""
    item = method(value, "__getitem__")
    return None if item is None else _Items(item)


def says_truth(kind: Any) -> bool:
    """Whether a class of the user's says which of its objects are true."""
    return any(_named(kind, name) is not None for name in TRUTH)


def of_builtin(function: Any, value: Any) -> Method | None:
    """The special method of an object that a builtin asks; None where it is not the user's."""
    return method(value, BUILTINS[function]) if function in BUILTINS else None


def of_math(function: Any, value: Any) -> Method | None:
    """The special method of an object that a function of `math` asks; None where there is none."""
    return _of_rounding(function, value) or method(value, "__float__")


def gives_whole(function: Any, value: Any, *_: Any) -> bool:
    """Whether that method says what the function gives, as of `floor`, and no float to give it."""
    return _of_rounding(function, value) is not None


def _of_rounding(function: Any, value: Any) -> Method | None:
    return method(value, _OF_MATH[function]) if function in _OF_MATH else None


_OF_MATH: dict[Any, str] = {
    math.floor: "__floor__", math.ceil: "__ceil__", math.trunc: "__trunc__",
}  # fmt: skip


FIELDS = "fields"


@functools.lru_cache(maxsize=1024)
def derived_from(kind: Any, name: str) -> str:
    """What the comparison of a class is made of that Python has written for it.

    Returns:
      `FIELDS`, for `dataclass`; for `total_ordering` the comparison that it asks, as "lt"; else "".
    """
    found = inspect.getattr_static(kind, name, None)
    if not isinstance(found, types.FunctionType):
        return ""
    if found.__module__ == functools.__name__:
        return found.__code__.co_name.partition("_from_")[2]  # of `_gt_from_lt`
    own = kind.__pcbatch_kind__ if issubclass(kind, Reference) else kind
    of_fields = any(map(dataclasses.is_dataclass, members_of(own) or (own,)))
    return FIELDS if found.__code__.co_filename == "<string>" and of_fields else ""


def has_order(value: Any) -> bool:
    """Whether an object's class says what `<` means."""
    return says(type(standing(value)), "__lt__")


def order_of(kind: Any) -> Any:
    """The method of a class of the user's that says what `<` means; None where there is none."""
    return _named(kind, "__lt__")


_OPERATORS = ("__add__", "__radd__", "__lt__", "__gt__", "__eq__")


def is_object(value: Any) -> bool:
    """Whether an object's class says what it means to add or to compare it."""
    value = standing(value)
    kind: Any = type(value)
    return has_order(value) or any(_named(kind, name) is not None for name in _OPERATORS)


def holds_object(value: Any) -> bool:
    """Whether a value is one of these, or a tuple in which there is one."""
    return is_object(value) or (type(value) is tuple and any(map(holds_object, value)))


def attribute(value: Any, name: str) -> Any:
    """Return `value.name`; a property is a plain function of the user's."""
    value = standing(value)
    kind: Any = type(value)
    getter = _getter(kind, name)
    return getattr(value, name) if getter is None else misuse.call(getter, value)


def is_property(value: Any, name: str) -> bool:
    """Whether an attribute is what a property of the user's gives."""
    kind: Any = type(value)
    return _getter(kind, name) is not None


@functools.lru_cache(maxsize=1024)
def _getter(kind: Any, name: str) -> Any:
    found = inspect.getattr_static(kind, name, None)
    return found.fget if isinstance(found, property) and is_users(found.fget) else None


def called(value: Any) -> Any:
    """What runs when an object is called: its `__call__`, a class's `__init__`; or the object."""
    if isinstance(value, type):
        plain_classes.check_made(value)
        return _constructor(value) or value
    return method(value, "__call__") or value


def _bare(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """An object of a class without `__init__`; Python itself says what is wrong with arguments."""
    return kind(*args, **kwargs) if args or kwargs else plain_classes.new(kind)


def _constructor(kind: Any) -> Method | None:
    standard = type(kind).__call__ is type.__call__ and kind.__new__ is object.__new__
    initialize = _named(kind, "__init__") if standard else None
    is_plain = plain_classes.is_plain(kind)
    if initialize is None:
        return functools.partial(_bare, kind) if is_plain else None

    def construct(*args: Any, **kwargs: Any) -> Any:
        made: Any = plain_classes.new(kind) if is_plain else object.__new__(kind)
        misuse.call(initialize, made, *args, **kwargs)
        return made

    return construct
