"""Abstract values: what is known of a variable before anything runs.

A value is a structure whose leaves are *tensors* of a known type, *static* Python objects, or
references to a *shared* tensor or to a *buffer*.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch.ir import BufferType, TensorType
from pcbatch.semantics import data, pytree
from pcbatch.semantics.caught import Told, number_of
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.none_or_value import MaybeNone
from pcbatch.semantics.numbers.widths import literal
from pcbatch.semantics.pytree import Node, Tree
from pcbatch.semantics.static_values import MemberSequence, UnrollIndex
from pcbatch.semantics.texts import Text

SHOWN = 12
"""So many parts of a structure are shown in a message."""

_IDENTITY_ONLY = (np.ndarray, tf.Tensor, tf.Variable, tf.Module)


@dataclasses.dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor per member; `weak` if it stands for a Python number."""

    type: TensorType
    weak: bool = False

    def __str__(self) -> str:
        number = self.weak and not self.type.shape
        return f"a Python number ({self.type.dtype})" if number else str(self.type)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A Python object that is the same whenever the program runs.

    Attributes:
      value: the object.
      origins: of a large list, where the program makes it.
    """

    value: Any
    origins: frozenset[Any] = frozenset()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and _same(self.value, other.value)

    def __hash__(self) -> int:
        # The rounds of an unrolled loop differ in a number or a string; of other objects not all
        # can be hashed.
        if isinstance(self.value, (int, str)):
            return hash((type(self.value), self.value))
        return hash((type(self.value), repr(self.value) if type(self.value) is float else None))

    def __str__(self) -> str:
        if data.is_large(self.value):
            return f"a {type(self.value).__name__} of {len(self.value):,}"
        return f"the Python object {self.value!r}"


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, _IDENTITY_ONLY):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
    if data.is_large(a):
        return data.same(a, b)
    return (a == b) is True


@dataclasses.dataclass(frozen=True, slots=True)
class Shared:
    """A tensor that is the same for all members; `weak` if it stands for a Python number."""

    name: str
    type: TensorType
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.type} shared by all members"


@dataclasses.dataclass(frozen=True, slots=True)
class BufferRef:
    """A reference to a buffer.

    Attributes:
      type: of the buffer.
      rooms: where it may be, sorted; if there are several, each member knows which is its own.
    """

    type: BufferType
    rooms: tuple[str, ...]

    def __str__(self) -> str:
        return f"a {self.type}"


@dataclasses.dataclass(frozen=True, slots=True)
class NewBuffer:
    """A buffer that an expression makes, before it is known where.

    Attributes:
      type: of the buffer.
      number: which of those that the expression makes.
      is_zero: whether it holds zeros.
    """

    type: BufferType
    number: int
    is_zero: bool


Leaf = Tensor | Static | Shared | BufferRef


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A structure of abstract leaves."""

    tree: Tree
    leaves: tuple[Leaf, ...]

    @property
    def leaf(self) -> Leaf | None:
        """The leaf of a value that is no structure."""
        return self.leaves[0] if isinstance(self.tree, pytree.Leaf) else None

    def __str__(self) -> str:
        if isinstance(self.tree, pytree.Leaf):
            return str(self.leaves[0])
        if self.tree.type is MaybeNone:
            inner = Value(self.tree.children[1], self.leaves[pytree.count(self.tree.children[0]) :])
            return f"None or {inner}"
        if self.tree.type in (ChosenText, Text):
            return "a text"
        if issubclass(self.tree.type, MemberSequence):
            return f"a {self.tree.type.called} of the member"
        paths = pytree.paths(self.tree)
        parts = [f"{p[1:]}: {x}" for p, x in zip(paths[:SHOWN], self.leaves, strict=False)]
        if len(paths) > SHOWN:
            parts.append(f"... {len(paths):,} in all")
        return f"{self.tree.type.__name__}({', '.join(parts)})"


def static(value: Any) -> Value:
    """The abstract value of a Python object (containers are taken apart)."""
    leaves, tree = pytree.flatten(value)
    return Value(tree, tuple(Static(x) for x in leaves))


def container(type_: type, keys: Iterable[Any], values: Iterable[Value]) -> Value:
    """The abstract value of a container of values."""
    values = tuple(values)
    tree = pytree.join_trees(type_, tuple(keys), [v.tree for v in values])
    return Value(tree, tuple(x for v in values for x in v.leaves))


def is_number(leaf: Leaf) -> bool:
    """Whether a leaf can become a tensor."""
    match leaf:
        case Static(value):
            return isinstance(value, (bool, int, float, complex, np.generic)) or (
                isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
            )
        case Tensor() | Shared():
            return True
        case BufferRef():
            return False


WHICH = TensorType("int32", ())
"""What a member knows of a buffer that may be in several rooms: the room's number."""


def is_empty(type_: TensorType) -> bool:
    """Whether a tensor has no elements, so that nothing need be known of it but its type."""
    return 0 in type_.shape


def empty_type(leaf: Leaf) -> TensorType | None:
    """The type of a member's tensor or buffer if it has no elements; else None."""
    type_ = leaf.type if isinstance(leaf, Tensor) else None
    type_ = leaf.type.whole if isinstance(leaf, BufferRef) else type_
    return type_ if type_ and is_empty(type_) else None


def carried(leaf: Leaf) -> TensorType | None:
    """What a member has to remember of a leaf; None if its abstract value says all."""
    match leaf:
        case Tensor(type_) if not is_empty(type_):
            return type_
        case BufferRef(type_, rooms) if len(rooms) > 1 and not is_empty(type_.whole):
            return WHICH
        case _:
            return None


def as_tensor(leaf: Leaf) -> Tensor:
    """The tensor that a numeric leaf becomes when it must vary among members."""
    match leaf:
        case Tensor():
            return leaf
        case Shared(_, type_, weak):
            return Tensor(type_, weak)
        case Static(value) if isinstance(value, (np.generic, np.ndarray)):
            return Tensor(TensorType(tf.as_dtype(value.dtype).name, tuple(value.shape)))
        case Static(bool()):
            return Tensor(TensorType("bool", ()))
        case Static(int() | float() | complex() as value):
            return Tensor(TensorType(literal(value).dtype.name, ()), weak=True)
    raise TypeError(f"no tensor can hold {leaf}")


def unroll_key(value: Value) -> int | None:
    """The position that a loop variable of an unrolled loop stands for, else None.

    Which exception it is, where it is one.
    """
    is_told = isinstance(value.tree, Node) and value.tree.type is Told
    match value.leaves[0] if is_told else value.leaf:
        case Static(UnrollIndex() as index):
            return int(index)
        case Static(known):
            return number_of(known)
    return None
