"""Python objects around a primitive: what it changes in place, and where it hides tensors.

A primitive runs once, when the function is traced, on copies of the containers that it reads. A
change in place would be lost, and a tensor inside an object that cannot be taken apart would be a
placeholder that nothing ever fills; both are refused.
"""

from __future__ import annotations

import collections
import copy
import functools
import types
from collections.abc import Callable, ItemsView, Iterable, Iterator, Sequence, ValuesView
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.errors import Diagnostic, ProgramError, Span
from pcbatch.infer import diagnostics as report
from pcbatch.infer.refusals import HeldInList, of_misuse
from pcbatch.semantics import data, identity, misuse, pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.gathering import Gathered
from pcbatch.semantics.jax_functions import FromJax
from pcbatch.semantics.methods import METHODS
from pcbatch.semantics.static_values import Method
from pcbatch.semantics.user_code import is_users_object

_COPIED = (set, bytearray, collections.deque)
_COPY_FIRST = (
    "change one that the program itself has made, in a statement of an autobatched function:\n"
    "own = {make}(given)  # a copy\n"
    "own.{change}"
)
_INSTEAD = {
    "set": _COPY_FIRST.format(make="set", change="add(n)"),
    "deque": _COPY_FIRST.format(make="deque", change="append(n)"),
    "bytearray": "write it as a list of numbers: codes = [0] * n",
}
"""What can be written for objects of these kinds, each of which is one object for all members."""
_NEW_OBJECT = "make the object in the function that changes it:\nbox = Box(0)\nbox.add(x)"
MAX_DEPTH = 4


class OperandWatch:
    """Remembers the operands of a primitive, to find out which of them it changes.

    Args:
      names: what the operands are called.
      values: the operands.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]):
        self._seen = [
            (name, value, *pytree.flatten(value, whole=True))
            for name, value in zip(names, values, strict=True)
            if not isinstance(value, tf.Tensor)
        ]
        self._contents = [
            (name, leaf, leaf.version if isinstance(leaf, Buffer) else _copied(leaf))
            for name, _, leaves, _ in self._seen
            for leaf in map(_receiver, leaves)
            if isinstance(leaf, (*_COPIED, Buffer, list, dict))
        ]
        self._objects = [
            (name if owner is leaf else "%", owner)
            for name, _, leaves, _ in self._seen
            for leaf, owner in zip(leaves, map(_owner, leaves), strict=True)
            if is_users_object(owner)
        ]
        self._attributes = self._first = self._attributes_now()

    def _attributes_now(self) -> list[dict[str, Any]]:
        return [dict(vars(owner)) for _, owner in self._objects]

    def check_objects(self, span: Span, again: Callable[[], Any]) -> None:
        """Refuse a primitive that gives an object of the user's other attributes.

        What an object builds at its first use, and keeps, is no tensor of the members and is built
        once.

        Args:
          span: of the primitive.
          again: runs it once more.

        Raises:
          ProgramError: it does; the object is as it was.
        """
        changed = self._changed_objects()
        if changed and not any(_holds_member(value) for *_, values in changed for value in values):
            again()
            changed = self._changed_objects()
        if changed:
            for (_, owner), attributes in zip(self._objects, self._first, strict=True):
                vars(owner).clear()
                vars(owner).update(attributes)
            what, _ = _described(*changed[0][:2])
            raise ProgramError(report.ChangesObject(span, what, _NEW_OBJECT))

    def _changed_objects(self) -> list[tuple[str, Any, list[Any]]]:
        """The objects with other attributes than the last time, and those attributes."""
        before, self._attributes = self._attributes, self._attributes_now()
        found = []
        for (name, owner), old, new in zip(self._objects, before, self._attributes, strict=True):
            other = [new[k] for k in new if k not in old or old[k] is not new[k]]
            if other or old.keys() != new.keys():
                found.append((name, owner, other))
        return found

    def check(self, span: Span) -> None:
        """Refuse a primitive that has changed an operand in place.

        Raises:
          ProgramError: it has.
        """
        for name, value, leaves, tree in self._seen:
            if tree == pytree.LEAF:
                continue
            now, tree_now = pytree.flatten(value, whole=True)
            if tree_now != tree or any(a is not b for a, b in zip(leaves, now, strict=True)):
                raise ProgramError(_part_changed(name, value, span), misuse.helpers_given(value))
        for name, leaf, before in self._contents:
            changed = leaf.version is not before if isinstance(leaf, Buffer) else leaf != before
            if changed:
                restore(leaf, before)
                raise ProgramError(_change(name, leaf, span), misuse.helpers_given(leaf))


def check_chosen(copies: Iterable[Gathered], span: Span) -> None:
    """Refuse a primitive that changes what it has chosen by a member's number.

    Raises:
      ProgramError: in Python the sequence would see the change, and here it is a copy.
    """
    for one in copies:
        if one.has_changed():
            what = "what a member's number chooses"
            wrong = report.SharedObject(span, what, "what it is chosen from")
            raise ProgramError(wrong, misuse.helpers_given(one.element))


def _change(name: str, leaf: Any, span: Span) -> Diagnostic:
    what, kind = _described(name, leaf)
    if kind in _INSTEAD:
        return report.ChangesObject(span, what, _INSTEAD[kind])
    return report.ChangesInPlace(span, what, kind)


def _part_changed(name: str, value: Any, span: Span) -> Diagnostic:
    """What to say of a structure, or a method of one, that is another one afterwards."""
    what, kind = _described(name, value)
    if kind == "deque" and name.startswith("%"):
        return HeldInList(span, (), kind)
    return report.ChangesInPlace(span, what, kind)


def _receiver(leaf: Any) -> Any:
    """Whose method a leaf is, such as `seen` of `seen.add`; what is no such method is itself."""
    owner = getattr(leaf, "__self__", None) if isinstance(leaf, types.BuiltinMethodType) else None
    return owner if isinstance(owner, _COPIED) else leaf


def _owner(leaf: Any) -> Any:
    """What a method is of; what is no method is itself."""
    return leaf.__self__ if isinstance(leaf, types.MethodType) else leaf


def _copied(leaf: Any) -> Any:
    # A list or a dict that is a leaf is large plain data.
    return data.copied(leaf) if isinstance(leaf, (list, dict)) else copy.copy(leaf)


def restore(container: Any, before: Any) -> None:
    """Give a container the contents that it had: what is refused has not happened."""
    match container:
        case set() | dict():
            container.clear()
            container.update(before)
        case collections.deque():
            container.clear()
            container.extend(before)
        case np.ndarray():  # an operand is read-only while it is tried; `np.add.at` changes it yet
            writeable = container.flags.writeable
            container.flags.writeable = True
            container[...] = before
            container.flags.writeable = writeable
        case list() | bytearray():
            container[:] = before


def _holds_member(value: Any) -> bool:
    return any(tf.is_symbolic_tensor(part) for part in reached(value))


def _described(name: str, value: Any) -> tuple[str, str]:
    kind = type(getattr(value, "__self__", value)).__name__
    return (f"a {kind}" if name.startswith("%") else f"`{name}`"), kind


def unrolled(value: Any) -> Any:
    """A view of a dict as a tuple, which can be taken apart; anything else as it is."""
    return tuple(value) if isinstance(value, (ValuesView, ItemsView)) else value


def check_kept(tree: pytree.Tree, leaves: Iterable[Any], span: Span) -> None:
    """Refuse to keep what has no meaning behind an expression.

    Raises:
      ProgramError: the attributes of an object as a dict, or a dict or a set that finds objects by
        what they are in memory.
    """
    kinds = [node.type for node in pytree.nodes(tree)]
    if identity.Attributes in kinds:
        raise ProgramError(report.AttributesKept(span))
    keys = [node.keys for node in pytree.nodes(tree) if issubclass(node.type, dict)]
    sets = [leaf for leaf in leaves if isinstance(leaf, (set, frozenset))]
    try:
        for given in (*keys, *sets):
            identity.as_keys(given)
    except misuse.Unsupported as error:
        raise ProgramError(of_misuse(span, error, ())) from None


def check_followed(value: Any, span: Span) -> None:
    """Refuse an object that is no structure and holds tensors of the members, or an iterator.

    Raises:
      ProgramError: it is one.
    """
    if isinstance(value, Iterator):
        code = (value.gi_code,) if isinstance(value, types.GeneratorType) else ()
        raise ProgramError(report.IteratorKept(span, type(value).__name__), code)
    if _holds_member(value):
        is_function = isinstance(value, (types.FunctionType, types.MethodType))
        what = "function" if is_function else f"`{type(value).__name__}` object"
        # What makes it may do so as a function of the program.
        helpers = tuple(code for part, code in misuse.helpers_giving() if part is value)
        raise ProgramError(report.HiddenTensors(span, what), helpers)


def reached(value: Any) -> Iterator[Any]:
    """An object, and everything that it holds on to, as far as can be seen; each thing once."""
    seen: dict[int, Any] = {}
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        yield one
        if depth > MAX_DEPTH or data.is_large(one):
            continue
        inside = depth + (pytree.parts(one) is None)
        waiting += [(part, inside) for part in _held(one)]


def _held(value: Any) -> Iterable[Any]:
    """What an object itself holds on to."""
    parts = pytree.parts(value)
    if parts is not None:
        return parts
    match value:
        case type() | types.ModuleType() | tf.Tensor() | FromJax():
            return ()
        case set() | frozenset() | ValuesView() | ItemsView():
            return value
        case types.FunctionType():
            cells = value.__closure__ or ()
            return [cell.cell_contents for cell in cells if cell != types.CellType()]
        case types.MethodType():
            return (value.__self__,)
        case Method():  # the graphs that it has made are its own
            return (value.owner,)
        case functools.partial():
            return (value.func, *value.args, *value.keywords.values())
    attributes = getattr(value, "__dict__", {})
    slots = [name for name in getattr(type(value), "__slots__", ()) if not name.startswith("__")]
    own = [attribute for name, attribute in attributes.items() if name != METHODS]
    return [*own, *(getattr(value, name, None) for name in slots)]
