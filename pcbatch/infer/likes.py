"""The types of the elements of lists."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from pcbatch.infer.domain import BufferRef, Leaf, Static, Tensor, Value, as_tensor, is_number
from pcbatch.infer.meeting import Conflict, join_leaves
from pcbatch.ir import TensorType
from pcbatch.semantics.element_leaves import (
    are_whole,
    as_number,
    common_tree,
    lifted,
    with_numbers,
)
from pcbatch.semantics.lists import Like, ListLayout
from pcbatch.semantics.pytree import LEAF, Tree


def like_of(data: Value, layout: ListLayout) -> Like:
    """The type of the elements of a list of the member."""
    elements = [x.type.element for x in data.leaves if isinstance(x, BufferRef)]
    dtypes, shapes = tuple(e.dtype for e in elements), tuple(e.shape for e in elements)
    return Like(data.tree, dtypes, shapes, layout.weak)


def joined_like(a: Like, b: Like) -> Like:
    """The type of elements that may be of either type.

    Raises:
      Conflict: there is none.
    """
    tree = common_tree(a.tree, b.tree)
    if tree is None:
        raise Conflict("", a, b)
    pairs = zip(_lifted(a, tree), _lifted(b, tree), strict=True)
    like = _like(tree, [_joined(x, y) for x, y in pairs])
    if not are_whole(tree, like.dtypes):
        raise Conflict("", a, b)
    return like


def _lifted(like: Like, tree: Tree) -> list[Tensor | None]:
    return lifted(_tensors(like), like.tree, tree, _of_constant)


def _of_constant(value: int) -> Tensor:
    """The type of what is the same in all elements."""
    return Tensor(TensorType("bool" if isinstance(value, bool) else "int32", ()), True)


def _joined(a: Tensor | None, b: Tensor | None) -> Leaf:
    """What is of either of two leaves; of the other one, where one of them is of None."""
    known = b if a is None else a
    assert known is not None
    return known if a is None or b is None else join_leaves("", a, b)


def _tensors(like: Like) -> list[Tensor]:
    parts = zip(like.dtypes, like.shapes, like.weak, strict=True)
    return [Tensor(TensorType(d, s), w) for d, s, w in parts]


def _like(tree: Tree, leaves: Iterable[Leaf]) -> Like:
    tensors = [as_tensor(leaf) for leaf in leaves]
    dtypes, shapes = (x.type.dtype for x in tensors), (x.type.shape for x in tensors)
    return Like(tree, tuple(dtypes), tuple(shapes), tuple(x.weak for x in tensors))


def element_like(value: Value) -> Like | None:
    """The type of elements like a value; None where it is no number and no structure of numbers."""
    leaves, tree = with_numbers(value.leaves, value.tree, _as_number, _kind)
    if not all(map(is_number, leaves)):
        return None
    return _like(tree, leaves)


def _as_number(leaf: Leaf) -> tuple[Sequence[Leaf], Tree]:
    if not isinstance(leaf, Static):
        return [leaf], LEAF
    numbers, tree = as_number(leaf.value)
    return ([leaf] if tree == LEAF else list(map(Static, numbers))), tree


def _kind(leaf: Leaf) -> type:
    assert isinstance(leaf, Static)
    found: type = leaf.value
    return found


def like_of_all(values: Sequence[Value]) -> Like | None:
    """The type of elements that may be like any of some values; None where there is none."""
    likes = [element_like(value) for value in values]
    if not likes or any(like is None or not like.dtypes for like in likes):
        return None
    try:
        return functools.reduce(joined_like, filter(None, likes))
    except Conflict:
        return None
