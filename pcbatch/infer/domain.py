"""Abstract values: what is known of a variable before anything runs.

A value is a structure whose leaves are *tensors* of a known type, *static* Python objects, or
references to a *shared* tensor or to a *buffer*. Joining two values at the meeting of two paths
keeps what both agree on; Python numbers that disagree become weak tensors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from pcbatch import structure
from pcbatch.ir import TensorType
from pcbatch.operators import kind
from pcbatch.structure import Tree
from pcbatch.values import UnrollIndex

_IDENTITY_ONLY = (np.ndarray, tf.Tensor, tf.Variable, tf.Module)


@dataclasses.dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor per member; `weak` if it stands for a Python number."""

    type: TensorType
    weak: bool = False

    def __str__(self) -> str:
        return f"a Python number ({self.type.dtype})" if self.weak else str(self.type)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A Python object that is the same whenever the program runs."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and _same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __str__(self) -> str:
        return f"the Python object {self.value!r}"


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, _IDENTITY_ONLY):
        return False
    if isinstance(a, float):
        return repr(a) == repr(b)
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
    """One buffer of the program."""

    name: str

    def __str__(self) -> str:
        return f"the buffer {self.name}"


Leaf = Tensor | Static | Shared | BufferRef


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A structure of abstract leaves."""

    tree: Tree
    leaves: tuple[Leaf, ...]

    @property
    def leaf(self) -> Leaf | None:
        """The leaf of a value that is no structure."""
        return self.leaves[0] if isinstance(self.tree, structure.Leaf) else None

    def __str__(self) -> str:
        if isinstance(self.tree, structure.Leaf):
            return str(self.leaves[0])
        paths = structure.paths(self.tree)
        inner = ", ".join(f"{p[1:]}: {x}" for p, x in zip(paths, self.leaves, strict=True))
        return f"{self.tree.type.__name__}({inner})"


class Conflict(Exception):
    """Two values that cannot be one."""

    def __init__(self, path: str, left: Any, right: Any):
        super().__init__(path, left, right)
        self.path, self.left, self.right = path, left, right


def static(value: Any) -> Value:
    """The abstract value of a Python object (containers are taken apart)."""
    leaves, tree = structure.flatten(value)
    return Value(tree, tuple(Static(x) for x in leaves))


def container(type_: type, keys: Iterable[Any], values: Iterable[Value]) -> Value:
    """The abstract value of a container of values."""
    values = tuple(values)
    tree = structure.join_trees(type_, tuple(keys), [v.tree for v in values])
    return Value(tree, tuple(x for v in values for x in v.leaves))


def is_number(leaf: Leaf) -> bool:
    """Whether a leaf can become a tensor."""
    match leaf:
        case Static(value):
            return isinstance(value, (bool, int, float, np.generic)) or (
                isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
            )
        case Tensor() | Shared():
            return True
        case BufferRef():
            return False


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
        case Static(int() as value):
            wide = not -(2**31) <= value < 2**31
            return Tensor(TensorType("int64" if wide else "int32", ()), weak=True)
        case Static(float()):
            return Tensor(TensorType("float32", ()), weak=True)
    raise TypeError(f"no tensor can hold {leaf}")


def join_leaves(path: str, a: Leaf, b: Leaf) -> Leaf:
    """What both leaves are.

    Raises:
      Conflict: they differ in a way that no tensor covers.
    """
    if a == b:
        return a
    if not (is_number(a) and is_number(b)):
        raise Conflict(path, a, b)
    left, right = as_tensor(a), as_tensor(b)
    if left.type.shape != right.type.shape:
        raise Conflict(path, a, b)
    if left.type == right.type:
        return Tensor(left.type, left.weak and right.weak)
    if not (left.weak or right.weak):
        raise Conflict(path, a, b)
    return _join_weak(path, left, right)


def _join_weak(path: str, left: Tensor, right: Tensor) -> Tensor:
    rank = {t: (kind(t.type.dtype), tf.as_dtype(t.type.dtype).size) for t in (left, right)}
    if left.weak and right.weak:
        return max(left, right, key=rank.__getitem__)
    weak, strong = (left, right) if left.weak else (right, left)
    if rank[weak][0] > rank[strong][0] or rank[strong][0] == 0:
        raise Conflict(path, left, right)
    return strong


def join(a: Value, b: Value) -> Value:
    """What two values have in common.

    Raises:
      Conflict: their structures differ, or two leaves do.
    """
    if a == b:
        return a
    if a.tree != b.tree:
        raise Conflict("", a, b)
    paths = structure.paths(a.tree)
    leaves = zip(paths, a.leaves, b.leaves, strict=True)
    return Value(a.tree, tuple(join_leaves(p, x, y) for p, x, y in leaves))


def unroll_key(value: Value) -> int | None:
    """The position that a loop variable of an unrolled loop stands for, else None."""
    match value.leaf:
        case Static(UnrollIndex() as index):
            return int(index)
    return None
