"""What Python objects looked like when a program was traced, so that a change is noticed.

A program has read numbers, strings and containers as constants. Before it is used again, the
objects that it read are looked at once more. Followed are containers, the attributes of the user's
own objects, and what the user's plain functions read from their modules and closures; code of
installed packages, and of pcbatch, is taken as it is.
"""

from __future__ import annotations

import array
import collections
import copy
import dis
import functools
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.semantics import data, pytree
from pcbatch.semantics.fetches import Fetches
from pcbatch.semantics.methods import METHODS
from pcbatch.semantics.user_code import is_installed_file, is_own_file, is_users_object

MAX_DEPTH = 6
MAX_ARRAY = 1 << 27
"""Larger arrays, in bytes, are compared by identity only."""

_COPIED = (set, frozenset, bytearray, collections.deque, array.array)
_WRITERS = {
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "frombytes", "fromlist", "insert", "intersection_update", "pop", "popitem", "popleft", "remove",
    "reverse", "rotate", "setdefault", "sort", "symmetric_difference_update", "update",
}  # fmt: skip
"""Methods of containers that write to them."""
_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic, tf.DType, range, slice)

Mark = tuple[str, Any]
"""One thing that was seen: how to compare it, and the thing or a copy of it."""


class _Walk:
    """One look at a value.

    Args:
      known: the marks of an earlier look: what is as it was then is not copied again.
      fetches: takes the places from which values come.

    Attributes:
      seen: the ids of what has been looked at.
    """

    def __init__(self, known: Iterable[Mark], fetches: Fetches):
        self.seen: set[int] = set()
        self.fetches = fetches
        self._known = collections.deque(m for m in known if m[0] in ("data", "array"))

    def mark(self, value: Any) -> Mark | None:
        """The mark of an array or of large plain data; None for anything else."""
        known = self._known[0] if self._known else None
        if known is not None and _is_like(known, value):
            return self._known.popleft()
        if isinstance(value, np.ndarray):
            return "array", value.copy()
        return ("data", data.Data(value)) if data.is_large(value) else None

    def rest(self) -> list[Mark]:
        """The known marks that have not come up."""
        return list(self._known)


def snapshot(value: Any, known: Iterable[Mark] = (), fetches: Fetches | None = None) -> list[Mark]:
    """Note what a Python value looks like, all the way down.

    Args:
      value: anything that an autobatched function reads by name.
      known: what was noted before.
      fetches: takes the places from which values in it come.

    Returns:
      Marks to compare with those of another time, by `unchanged`.
    """
    return list(_marks(value, 0, _Walk(known, fetches or Fetches()), True))


def attributes(
    owner: Any, known: Iterable[Mark] = (), fetches: Fetches | None = None
) -> list[Mark]:
    """Note the attributes of an object whose methods a program runs.

    Args:
      owner: the object.
      known: what was noted before.
      fetches: takes the places from which values come.
    """
    if not hasattr(owner, "__dict__"):
        return []
    return list(_attribute_marks(owner, 0, _Walk(known, fetches or Fetches())))


def of_name(
    root: Any, ends: Sequence[Any], known: Sequence[Mark] = (), fetches: Fetches | None = None
) -> list[Mark]:
    """Note what a function reads by one name.

    Args:
      root: what the name stands for. Tensors in it, if it is a structure, may change their values:
        they are read anew.
      ends: the attributes of it that the function reads, or the root itself.
      known: what was noted before.
      fetches: takes the places from which values come.
    """
    fetches = fetches or Fetches()
    if len(known) == 1 and len(ends) == 1 and ends[0] is root and _is_like(known[0], root):
        fetches.give_up()
        return list(known)
    leaves = pytree.flatten(root, whole=True)[0]
    tensors = [x for x in leaves if isinstance(x, tf.Tensor)]
    if tensors:  # Others may take their places, and what is kept here would keep these.
        fetches.give_up()
    ids = set(map(id, tensors))
    marks: list[Mark] = [("==", (x.dtype, tuple(x.shape))) for x in tensors]
    earlier = list(known)
    for end in ends:
        walk = _Walk(earlier, fetches)
        marks += [m for m in _marks(end, 0, walk, True) if m[0] != "is" or id(m[1]) not in ids]
        earlier = walk.rest()
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
        ("==", x.content())
        if how == "data"
        else (how, type(x))
        if how == "is" and isinstance(x, (list, dict, *_COPIED))
        else (how, x)
        for how, x in marks
    ]


def _is_like(known: Mark, value: Any) -> bool:
    """Whether an array or large plain data is as it was."""
    how, before = known
    if how == "data":
        return bool(before.matches(value))
    return how == "array" and isinstance(value, np.ndarray) and _same_array(before, value)


def _same_array(a: np.ndarray, b: np.ndarray) -> bool:
    if a is b:
        return True
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "biuf" and a.dtype.itemsize <= 8:  # 0.0 is not -0.0, and NaN is NaN
        bits = f"u{a.dtype.itemsize}"
        return np.array_equal(a.view(bits), b.view(bits))
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def _same(old: Mark, new: Mark) -> bool:
    (how, a), (now, b) = old, new
    if how != now:
        return False
    match how:
        case "is":
            return a is b
        case "array":
            return _same_array(a, b)
        case "number":
            return type(a) is type(b) and repr(a) == repr(b)
    return type(a) is type(b) and bool(a == b)


def _marks(value: Any, depth: int, walk: _Walk, content: bool) -> Iterator[Mark]:
    """The marks of a value; `content`: whether containers are looked into."""
    if isinstance(value, (float, complex, np.generic)):
        yield "number", value
    elif isinstance(value, _PLAIN):
        yield "==", value
    elif id(value) in walk.seen or depth > MAX_DEPTH or isinstance(value, (tf.Tensor, tf.Variable)):
        yield "is", value
    elif _is_looked_into(value, content) and (mark := walk.mark(value)) is not None:
        walk.fetches.give_up()
        yield mark
    else:
        walk.seen.add(id(value))
        yield from _inside(value, depth + 1, walk, content)


def _is_looked_into(value: Any, content: bool) -> bool:
    """Whether the content of a value counts; that of a read-only array cannot change."""
    if isinstance(value, np.ndarray):
        frozen = value.flags.owndata and not value.flags.writeable
        return value.dtype != object and value.nbytes <= MAX_ARRAY and not frozen
    return content or isinstance(value, tuple)


def _inside(value: Any, depth: int, walk: _Walk, content: bool) -> Iterator[Mark]:
    if isinstance(value, types.FunctionType):
        yield "is", value
        yield from _function_marks(value, depth, walk)
    elif isinstance(value, types.MethodType):
        yield "is", value.__func__
        yield from _marks(value.__self__, depth, walk, content)
    elif not content and not isinstance(value, tuple):
        yield "is", value
    else:
        yield from _part_marks(value, depth, walk, content)


def _part_marks(value: Any, depth: int, walk: _Walk, content: bool) -> Iterator[Mark]:
    leaves, tree = pytree.flatten(value, whole=True)
    if tree != pytree.LEAF:
        if not all(issubclass(node.type, tuple) for node in pytree.nodes(tree)):
            walk.fetches.give_up()
        yield "==", tree
        for leaf in leaves:
            yield from _marks(leaf, depth, walk, content)
    elif isinstance(value, _COPIED):
        walk.fetches.give_up()
        yield "==", copy.copy(value)
    else:
        yield "is", value
        if is_users_object(value):
            yield from _attribute_marks(value, depth, walk)


def _attribute_marks(value: Any, depth: int, walk: _Walk) -> Iterator[Mark]:
    walk.fetches.attributes(value)
    for name, attribute in vars(value).items():
        if name != METHODS:
            yield "==", name
            yield from _marks(attribute, depth, walk, True)


def _function_marks(fn: types.FunctionType, depth: int, walk: _Walk) -> Iterator[Mark]:
    """What a plain function reads from outside; containers by identity if it may write to them."""
    walk.fetches.code(fn)
    if is_installed_file(fn.__code__.co_filename) or is_own_file(fn.__code__.co_filename):
        return
    content = not _may_write(fn.__code__)
    for name in _names_read(fn.__code__):
        walk.fetches.name(fn.__globals__, name)
        if name in fn.__globals__:
            yield from _marks(fn.__globals__[name], depth, walk, content)
    for cell in fn.__closure__ or ():
        walk.fetches.cell(cell)
        try:
            value = cell.cell_contents
        except ValueError:  # The outer function has not bound it yet.
            continue
        yield from _marks(value, depth, walk, content)


@functools.lru_cache(maxsize=1024)
def _may_write(code: types.CodeType) -> bool:
    """Whether a code object, nested functions included, may write to a container."""
    return any(
        step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR")
        or (step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in _WRITERS)
        for step in dis.get_instructions(code)
    ) or any(_may_write(x) for x in code.co_consts if isinstance(x, types.CodeType))


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
