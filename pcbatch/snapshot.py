"""What Python objects looked like when a program was traced, so that a change is noticed.

A program has read numbers, strings and containers as constants. Before it is used again, the
objects that it read are looked at once more. Followed are containers, the attributes of the user's
own objects, and what the user's plain functions read from their modules and closures; code of
installed packages is taken as it is.
"""

from __future__ import annotations

import collections
import copy
import dis
import functools
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import structure
from pcbatch.values import METHODS

MAX_DEPTH = 6
MAX_ARRAY = 1 << 16
"""Larger arrays are compared by identity only."""

_COPIED = (set, frozenset, bytearray, collections.deque)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, tf.DType, range, slice)
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})

Mark = tuple[str, Any]
"""One thing that was seen: how to compare it, and the thing or a copy of it."""


def snapshot(value: Any) -> list[Mark]:
    """Note what a Python value looks like, all the way down.

    Args:
      value: anything that an autobatched function reads by name.

    Returns:
      Marks to compare with those of another time, by `unchanged`.
    """
    return list(_marks(value, 0, set(), True))


def attributes(owner: Any) -> list[Mark]:
    """Note the attributes of an object whose methods a program runs."""
    return list(_attribute_marks(owner, 0, set())) if hasattr(owner, "__dict__") else []


def of_name(root: Any, ends: Iterable[Any]) -> list[Mark]:
    """Note what a function reads by one name.

    Args:
      root: what the name stands for. Tensors in it, if it is a structure, may change their values:
        they are read anew.
      ends: the attributes of it that the function reads, or the root itself.
    """
    tensors = [x for x in structure.flatten(root)[0] if isinstance(x, tf.Tensor)]
    ids = set(map(id, tensors))
    marks: list[Mark] = [("==", (x.dtype, tuple(x.shape))) for x in tensors]
    for end in ends:
        marks += [m for m in snapshot(end) if m[0] != "is" or id(m[1]) not in ids]
    return marks


def unchanged(old: list[Mark], new: list[Mark]) -> bool:
    """Whether two snapshots show the same."""
    return len(old) == len(new) and all(map(_same, old, new))


def lasting(marks: list[Mark]) -> list[Mark]:
    """The marks as another process would make them.

    A container that counts by its identity is one whose content no program has folded: a plain
    function may write to it at any time. Of such a one only the type lasts.
    """
    return [
        (how, type(x)) if how == "is" and isinstance(x, (list, dict, *_COPIED)) else (how, x)
        for how, x in marks
    ]


def _same(old: Mark, new: Mark) -> bool:
    (how, a), (now, b) = old, new
    if how != now:
        return False
    match how:
        case "is":
            return a is b
        case "array":
            return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        case "number":
            return type(a) is type(b) and repr(a) == repr(b)
    return type(a) is type(b) and bool(a == b)


def _marks(value: Any, depth: int, seen: set[int], content: bool) -> Iterator[Mark]:
    """The marks of a value; `content`: whether containers are looked into."""
    if isinstance(value, (float, complex, np.generic)):
        yield "number", value
    elif isinstance(value, _PLAIN):
        yield "==", value
    elif isinstance(value, np.ndarray) and value.size <= MAX_ARRAY and value.dtype != object:
        yield "array", value.copy()
    elif id(value) in seen or depth > MAX_DEPTH or isinstance(value, (tf.Tensor, tf.Variable)):
        yield "is", value
    else:
        seen.add(id(value))
        yield from _inside(value, depth + 1, seen, content)


def _inside(value: Any, depth: int, seen: set[int], content: bool) -> Iterator[Mark]:
    leaves, tree = structure.flatten(value)
    if isinstance(value, types.FunctionType):
        yield "is", value
        yield from _function_marks(value, depth, seen)
    elif isinstance(value, types.MethodType):
        yield "is", value.__func__
        yield from _marks(value.__self__, depth, seen, content)
    elif tree != structure.LEAF and (content or isinstance(value, tuple)):
        yield "==", tree
        for leaf in leaves:
            yield from _marks(leaf, depth, seen, content)
    elif isinstance(value, _COPIED) and content:
        yield "==", copy.copy(value)
    else:
        yield "is", value
        if content and _is_users_object(value):
            yield from _attribute_marks(value, depth, seen)


def _attribute_marks(value: Any, depth: int, seen: set[int]) -> Iterator[Mark]:
    for name, attribute in vars(value).items():
        if name != METHODS:
            yield "==", name
            yield from _marks(attribute, depth, seen, True)


def _function_marks(fn: types.FunctionType, depth: int, seen: set[int]) -> Iterator[Mark]:
    """What a plain function reads from outside; containers by identity, as it may write them."""
    if fn.__code__.co_filename.startswith(_INSTALLED):
        return
    for name in _names_read(fn.__code__):
        if name in fn.__globals__:
            yield from _marks(fn.__globals__[name], depth, seen, False)
    for cell in fn.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # The outer function has not bound it yet.
            continue
        yield from _marks(content, depth, seen, False)


@functools.lru_cache(maxsize=1024)
def _names_read(code: types.CodeType) -> tuple[str, ...]:
    """The globals that a code object reads and does not write, nested functions included."""
    read: dict[str, None] = {}
    written: set[str] = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            read[instruction.argval] = None
        elif instruction.opname == "STORE_GLOBAL":
            written.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            read.update(dict.fromkeys(_names_read(constant)))
    return tuple(name for name in read if name not in written)


def _is_users_object(value: Any) -> bool:
    """Whether an object is of a class that the user has written, and has attributes."""
    if isinstance(value, (type, types.ModuleType)) or not hasattr(value, "__dict__"):
        return False
    return not _is_installed(type(value).__module__)


@functools.lru_cache(maxsize=1024)
def _is_installed(module: str) -> bool:
    """Whether a module belongs to an installed package, or to pcbatch itself."""
    if module.partition(".")[0] in ("pcbatch", "builtins"):
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and file.startswith(_INSTALLED)
