"""What two values have in common where two paths meet, and where the lists in both are made."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.infer.domain import BufferRef, Leaf, Static, Tensor, Value, as_tensor, is_number
from pcbatch.infer.kinds import is_by_names
from pcbatch.infer.opening import expanded, taken_apart
from pcbatch.ir import TensorType
from pcbatch.semantics import pytree
from pcbatch.semantics.lists.fresh import ELSEWHERE
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.numbers.widths import NoCommonDtype, Number, joined
from pcbatch.semantics.pytree import Tree


class Conflict(Exception):
    """Two values that cannot be one."""

    def __init__(self, path: str, left: Any, right: Any):
        super().__init__(path, left, right)
        self.path, self.left, self.right = path, left, right


def is_of_signs(conflict: Conflict) -> bool:
    """Whether both are integers, one of 64 bits without a sign, and the other with one."""
    leaves = conflict.left, conflict.right
    types = [as_tensor(x).type for x in leaves if isinstance(x, Leaf) and is_number(x)]
    if len(types) < len(leaves) or types[0].shape != types[1].shape:
        return False
    dtypes = [tf.as_dtype(t.dtype) for t in types]
    return tf.uint64 in dtypes and all(dtype.is_integer for dtype in dtypes)


def join_leaves(path: str, a: Leaf, b: Leaf) -> Leaf:
    """What both leaves are.

    Raises:
      Conflict: they differ in a way that no tensor covers.
    """
    if a == b:
        return a
    if isinstance(a, BufferRef) and isinstance(b, BufferRef):
        return _join_buffers(path, a, b)
    if isinstance(a, Static) and isinstance(b, Static) and isinstance(a.value, ListLayout):
        layout = a.value.joined(b.value)
        if layout is not None:
            return dataclasses.replace(a, value=layout)
    if not (is_number(a) and is_number(b)):
        raise Conflict(path, a, b)
    left, right = as_tensor(a), as_tensor(b)
    if left.type.shape != right.type.shape:
        raise Conflict(path, a, b)
    try:
        both = joined(*(Number(tf.as_dtype(t.type.dtype), t.weak) for t in (left, right)))
    except NoCommonDtype:
        raise Conflict(path, a, b) from None
    return Tensor(TensorType(both.dtype.name, left.type.shape), both.weak)


def _join_buffers(path: str, a: BufferRef, b: BufferRef) -> BufferRef:
    """Either of two buffers; `b` has been seen later, when more was known of its type."""
    if a.type != b.type and not set(a.rooms) & set(b.rooms):
        raise Conflict(path, a, b)
    return BufferRef(b.type, tuple(sorted({*a.rooms, *b.rooms})))


def join(a: Value, b: Value) -> Value:
    """What two values have in common.

    Raises:
      Conflict: their structures differ, or two leaves do.
    """
    if a == b:
        return united(a, b)
    a, b = expanded(a), expanded(b)
    if a.tree != b.tree:
        a, b = taken_apart(a), taken_apart(b)
    if a.tree != b.tree:
        raise Conflict("", a, b)
    paths = pytree.paths(a.tree)
    leaves = zip(paths, a.leaves, b.leaves, strict=True)
    joined_leaves = (_united_leaf(join_leaves(p, x, y), y) for p, x, y in leaves)
    return Value(_united_tree(a.tree, b.tree), tuple(joined_leaves))


def united(a: Value, b: Value) -> Value:
    """A value, with where the lists in an equal one are made, too: they may be either's.

    It is the very same object where nothing is new.
    """
    if a is b:
        return a
    tree = _united_tree(a.tree, b.tree)
    leaves = tuple(map(_united_leaf, a.leaves, b.leaves))
    same = tree is a.tree and all(x is y for x, y in zip(leaves, a.leaves, strict=True))
    return a if same else Value(tree, leaves)


def _united_tree(a: Tree, b: Tree) -> Tree:
    if a is b or not (isinstance(a, pytree.Node) and isinstance(b, pytree.Node)):
        return a
    children = tuple(map(_united_tree, a.children, b.children))
    same = all(x is y for x, y in zip(children, a.children, strict=True))
    origins = a.origins | b.origins
    if bool(a.origins) != bool(b.origins) and is_by_names(a):
        origins |= {ELSEWHERE}
    if same and origins == a.origins:
        return a
    return dataclasses.replace(a, children=children, origins=origins)


def _united_leaf(a: Leaf, b: Leaf) -> Leaf:
    if not (isinstance(a, Static) and isinstance(b, Static)) or b.origins <= a.origins:
        return a
    return dataclasses.replace(a, origins=a.origins | b.origins)


def changed(old: Value | None, new: Value | None) -> bool:
    """Whether what is known of a variable has changed, as to where its lists are made, too."""
    if old is None or new is None or old != new:
        return old is not new
    return united(old, new) is not old
