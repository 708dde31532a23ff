"""What a primitive leads to: the functions around it, and what they read and could change."""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.misuse import GENERATORS
from pcbatch.semantics.user_code import is_installed, is_installed_file, is_users_object

MAX_DEPTH = 4
CONTAINERS = (list, dict, set, bytearray, collections.deque)

_FOUND = (types.FunctionType, np.ndarray, *GENERATORS)
_DULL = (tf.Tensor, tf.Variable, np.generic, str, bytes, int, float, complex)
"""Values that lead nowhere."""


def names_read(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names, and those of attributes, that a primitive's function reads."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return ()
    return *code.co_names, *(x for x in code.co_consts if isinstance(x, str))


def reachable(values: Iterable[Any], names: Collection[str]) -> Iterator[Any]:
    """What operands lead to: random generators, the user's plain functions, the lists, dicts and
    sets that these read, and arrays.

    Args:
      values: the operands. Those that are containers are copies, and left out.
      names: that the primitive reads.
    """
    seen: dict[int, Any] = {}
    for value in values:
        yield from _from(value, names, 0, seen)


def _from(value: Any, names: Collection[str], depth: int, seen: dict[int, Any]) -> Iterator[Any]:
    """What one value leads to, see `reachable`.

    Args:
      value: anything.
      names: those that whoever holds the value reads.
      depth: how many steps led to it.
      seen: what was looked at, by identity.
    """
    if id(value) in seen or depth > MAX_DEPTH or isinstance(value, _DULL):
        return
    seen[id(value)] = value
    if isinstance(value, types.FunctionType) and is_installed_file(value.__code__.co_filename):
        return
    if isinstance(value, _FOUND) or (depth > 0 and isinstance(value, CONTAINERS)):
        yield value
    if isinstance(value, (types.FunctionType, types.MethodType)):
        names = {name for code in codes(value.__code__) for name in code.co_names}
    for part in _parts(value, names):
        yield from _from(part, names, depth + 1, seen)


def _parts(value: Any, names: Collection[str]) -> Iterable[Any]:
    """What a value holds or reads, as far as looking at it runs none of the user's code."""
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    leaves, tree = pytree.flatten(value)
    if tree != pytree.LEAF:
        return *leaves, *_of_class(type(value), names)
    match value:
        case np.ndarray():
            return ()
        case types.BuiltinFunctionType():
            return (value.__self__,)
        case functools.partial():
            return value.func, *value.args, *value.keywords.values()
        case types.FunctionType():
            cells = [cell for cell in value.__closure__ or () if cell != types.CellType()]
            return *_named(value.__globals__, names), *(cell.cell_contents for cell in cells)
        case types.ModuleType() if not is_installed(value.__name__):
            return _named(vars(value), names)
        case type():
            return _of_class(value, names)
        case _ if is_users_object(value):
            return *vars(value).values(), *_of_class(type(value), names)
    return ()


def _of_class(kind: type, names: Iterable[str]) -> list[Any]:
    """What a class of the user's has by some names, and by those that its methods read then.

    Operators call its special methods without a name.
    """
    if is_installed(kind.__module__):
        return []
    special = (name for base in kind.__mro__[:-1] for name in vars(base) if name.startswith("__"))
    waiting, found = [*names, *special], dict[str, Any]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = member = inspect.getattr_static(kind, name, None)
            code = getattr(getattr(member, "fget", member), "__code__", None)
            waiting += code.co_names if code is not None else ()
    return list(found.values())


def _named(namespace: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    return [namespace[name] for name in names if name in namespace]


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)
