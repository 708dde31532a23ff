"""The elements of a list as tensors, one per leaf of an element."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import data, limits, pytree, sharing
from pcbatch.semantics.chosen_objects import objects_differ
from pcbatch.semantics.element_leaves import (
    NotOneType as NotOneType,
)
from pcbatch.semantics.element_leaves import (
    check_whole,
    common_tree,
    common_tree_of,
    flattened,
    itself,
    lifted,
    zeroed,
)
from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.layout import capacity
from pcbatch.semantics.numbers.widths import cast_exactly, literal
from pcbatch.semantics.operators import is_tensor, is_weak, mark_weak, promote
from pcbatch.semantics.places import narrowed

Length = Any
"""A static number, or an int32 scalar."""


def full(room: int) -> str:
    """What is said where a list has no room for another element."""
    return limits.full("list", room)


class OnlyShared(TypeError):
    """What lists of lists can do where their rows may be shared, see `row_lists`."""


class LooseRows(NotOneType):
    """Lists that are elements have to be rows, as those of another list are."""

    def __init__(self) -> None:
        super().__init__(
            "its lists come from two lists of lists, of which one alone is written to; put them in "
            "one by one: for row in more: rows.append(row[:])"
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Dense:
    """Elements and how many of them count.

    Attributes:
      tree: of an element.
      columns: per leaf, `[capacity, ...]`; of rows `[capacity, row capacity, ...]`.
      weak: per leaf, whether it stands for a Python number.
      length: how many elements count.
      row_lengths: of rows, how many elements of each count: a number, or int32[capacity]; else
        None.
      known: whether there has been an element, so that the type of elements is known.
    """

    tree: pytree.Tree
    columns: tuple[tf.Tensor, ...]
    weak: tuple[bool, ...]
    length: Length
    row_lengths: Any = None
    known: bool = True

    @property
    def capacity(self) -> int:
        return int(self.columns[0].shape[0]) if self.columns else 0

    @property
    def is_static(self) -> bool:
        """Whether the number of elements is known."""
        return not is_tensor(self.length)

    def taken(self, places: tf.Tensor, length: Length) -> Dense:
        """The elements at some places, which are brought in range."""
        places = tf.clip_by_value(places, 0, max(self.capacity - 1, 0))
        columns = self.columns
        if self.capacity:
            columns = tuple(sharing.view(tf.gather(c, places), c) for c in columns)
        elif places.shape[0]:
            columns = tuple(tf.zeros([places.shape[0], *c.shape[1:]], c.dtype) for c in columns)
        rows = self.row_lengths
        if is_tensor(rows):
            rows = tf.gather(rows, places) if self.capacity else tf.zeros_like(places)
        return Dense(self.tree, columns, self.weak, length, rows, self.known)

    def resized(self, capacity: int) -> Dense:
        """The same with another capacity; a member whose elements do not fit stops."""
        if capacity == self.capacity:
            return self
        if is_tensor(self.length) and capacity < self.capacity:
            require(self.length <= capacity, full(capacity))
        return self.taken(tf.range(capacity), self.length)

    def cast(self, like: Like) -> Dense:
        """The same with elements of another type."""
        if not self.has_type and (self.tree, self.shapes) != (like.tree, like.shapes):
            return self._without_elements(like)
        if self.tree != like.tree and common_tree(self.tree, like.tree) != like.tree:
            raise NotOneType("the elements of a list that is written to must have one structure")
        columns = tuple(map(self._cast, self.lifted(like.tree), like.dtypes, like.shapes))
        return Dense(like.tree, columns, like.weak, self.length, self.row_lengths)

    def lifted(self, tree: pytree.Tree) -> list[tf.Tensor | None]:
        """The columns, in a structure in which parts of an element may be None.

        A column of what Python's numbers are is marked; it is None, where all elements are.
        """
        marked = zip(self.columns, self.weak, strict=True)
        columns = [mark_weak(column) if weak else column for column, weak in marked]
        return lifted(columns, self.tree, tree, lambda x: mark_weak(tf.fill(self._places, x)))

    @property
    def _places(self) -> list[int]:
        """How many there are: of elements, or of rows and of elements of each."""
        return self.columns[0].shape[: 1 + (self.row_lengths is not None)].as_list()

    def _cast(self, column: tf.Tensor | None, dtype: str, shape: tuple[int, ...]) -> tf.Tensor:
        if column is None:
            return tf.zeros([*self._places, *shape], dtype)
        return _cast(column, dtype, shape)

    def _without_elements(self, like: Like) -> Dense:
        """The same, which has none, with elements of another type."""
        return nothing(like).taken(tf.range(self.capacity), self.length)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each leaf of an element, which is no row."""
        return tuple(tuple(column.shape[1:]) for column in self.columns)

    @property
    def has_type(self) -> bool:
        """Whether the type of the elements matters."""
        return self.known and not (self.is_static and self.length == 0)

    @property
    def used(self) -> tf.Tensor:
        """bool[capacity]: which elements count."""
        return tf.range(self.capacity) < self.length


@dataclasses.dataclass(frozen=True)
class Like:
    """The type of the elements of a list.

    Attributes:
      tree: of an element.
      dtypes, shapes, weak: per leaf.
    """

    tree: pytree.Tree
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    weak: tuple[bool, ...]


def _cast(column: tf.Tensor, dtype: str, shape: tuple[int, ...]) -> tf.Tensor:
    if tuple(column.shape[column.shape.rank - len(shape) :]) != shape:
        raise NotOneType(
            f"the elements of a list that is written to must have one shape, not "
            f"{tuple(column.shape[1:])} and {shape}"
        )
    return tf.cast(column, dtype)


def nothing(like: Like | None = None) -> Dense:
    """No elements; of Python integers, where nothing is known of them."""
    known = like is not None
    like = like or Like(pytree.LEAF, ("int32",), ((),), (True,))
    columns = tuple(tf.zeros([0, *s], d) for s, d in zip(like.shapes, like.dtypes, strict=True))
    return Dense(like.tree, columns, like.weak, 0, known=known)


def of_items(items: Sequence[Any]) -> Dense:
    """The elements of a Python list.

    Raises:
      NotOneType: they have not one type.
    """
    if not items:
        return nothing()
    if data.is_flat(items) and len(set(map(type, items))) == 1:
        return Dense(pytree.LEAF, (_numbers(items),), (True,), len(items))
    flat = list(map(flattened, items))
    tree = common_tree_of(own for _, own in flat)
    if tree is None:
        said = "the elements of a list that is written to must have one structure"
        raise NotOneType(said) from objects_differ(items)
    rows = [lifted(leaves, own, tree, itself) for leaves, own in flat]
    leaves = list(zip(*rows, strict=True))
    weak = tuple(all(x is None or is_weak(x) for x in column) for column in leaves)
    columns = zeroed(map(_stacked, leaves), tree, _where_there)
    check_whole(tree, columns)
    return Dense(tree, tuple(columns), weak, len(items))


def _where_there(there: tf.Tensor, column: tf.Tensor) -> tf.Tensor:
    return tf.where(spread(there, column), column, tf.zeros([], column.dtype))


def _numbers(items: Sequence[Any]) -> tf.Tensor:
    if type(items[0]) is int:
        wide = not all(-(2**31) <= x < 2**31 for x in items)
        return tf.constant(items, tf.int64 if wide else tf.int32)
    known = {bool: tf.bool, float: literal(0.0).dtype}  # as wide as floats of the program are
    return tf.constant(items, known.get(type(items[0])))


def _stacked(leaves: Sequence[Any]) -> tf.Tensor:
    """One leaf of all elements; zero where it is None."""
    values = [leaf for leaf in leaves if leaf is not None]
    for value in values:
        if not is_number(value):
            raise NotOneType(
                f"the elements of a list that is written to must be numbers, texts or arrays, "
                f"not {type(value).__name__}"
            )
    numbers = [x if is_tensor(x) or is_weak(x) else tf.convert_to_tensor(x) for x in values]
    dtype = _common(numbers)
    tensors = [cast_exactly(x, dtype) for x in numbers]
    if any(x.shape != tensors[0].shape for x in tensors):
        raise NotOneType("the elements of a list that is written to must have one shape")
    supply, zero = iter(tensors), tf.zeros_like(tensors[0])
    return tf.stack([zero if leaf is None else next(supply) for leaf in leaves])


def is_number(value: Any) -> bool:
    """Whether a leaf of an element is a number, or an array."""
    return is_tensor(value) or is_weak(value) or hasattr(value, "dtype")


def _common(values: Sequence[Any]) -> tf.DType:
    """The dtype that an operator would bring values to."""

    def step(a: Any, b: Any) -> Any:
        weak = is_weak(a) and is_weak(b)
        common = promote(a, b)[0]
        return mark_weak(common) if weak and is_tensor(common) else common

    common = functools.reduce(step, values)
    dtype = tf.convert_to_tensor(common).dtype if is_tensor(common) else literal(common).dtype
    different = [x for x in values if is_tensor(x) and not is_weak(x) and x.dtype != dtype]
    if different:
        raise NotOneType(
            f"the elements of a list that is written to must have one dtype, not "
            f"{different[0].dtype.name} and {dtype.name}"
        )
    return dtype


def unified(parts: Sequence[Dense]) -> list[Dense]:
    """Lists whose elements are of one type; what is empty takes the type of the others."""
    known = [part for part in parts if part.has_type] or [parts[0]]
    tree = common_tree_of(part.tree for part in known)
    if tree is None:
        raise NotOneType("the elements of a list that is written to must have one structure")
    columns = [
        [mark_weak(c[:0]) if is_weak(c) else c[:0] for c in column if c is not None]
        for column in zip(*(part.lifted(tree) for part in known), strict=True)
    ]
    weak = tuple(all(map(is_weak, heads)) for heads in columns)
    shapes = tuple(tuple(heads[0].shape[1:]) for heads in columns)
    like = Like(tree, tuple(_common(heads).name for heads in columns), shapes, weak)
    check_whole(tree, (heads[0] for heads in columns))
    is_known = any(part.known for part in parts)
    return [dataclasses.replace(part.cast(like), known=is_known) for part in parts]


def joined(a: Dense, b: Dense) -> Dense:
    """The elements of one list, and then those of another."""
    rows = [x.row_lengths is not None for x in (a, b)]
    if any(rows):
        if not all(rows):
            raise LooseRows
        width = max(x.columns[0].shape[1] for x in (a, b))
        a, b = with_room(a, width), with_room(b, width)
    lengths = [x.row_lengths for x in (a, b)]
    pairs = zip(unified([a, b]), lengths, strict=True)
    a, b = (dataclasses.replace(x, row_lengths=n) for x, n in pairs)
    if a.is_static and b.is_static and not any(rows):
        a, b = a.resized(a.length), b.resized(b.length)
        columns = (tf.concat(pair, 0) for pair in zip(a.columns, b.columns, strict=True))
        return dataclasses.replace(a, columns=tuple(columns), length=a.length + b.length)
    length, room = a.length + b.length, max(a.capacity, b.capacity, capacity())
    require(length <= room, full(room))
    places = tf.range(room)
    first, second = a.taken(places, length), b.taken(places - a.length, length)
    return chosen(places < a.length, first, second)


def with_room(rows: Dense, room: int) -> Dense:
    """Rows with room for so many elements each; a member stops whose rows have more.

    Args:
      rows: whose lengths may be one number; those of the result are int32[capacity].
      room: of each.
    """
    lengths = tf.fill([rows.capacity], 0) + tf.cast(rows.row_lengths, tf.int32)
    require(tf.reduce_all((lengths <= room) | ~rows.used), full(room))
    missing = max(room - rows.columns[0].shape[1], 0)
    columns = (
        tf.pad(c[:, :room], [[0, 0], [0, missing], *[[0, 0]] * (c.shape.rank - 2)])
        for c in rows.columns
    )
    return dataclasses.replace(rows, columns=tuple(columns), row_lengths=lengths)


def chosen(condition: tf.Tensor, yes: Dense, no: Dense) -> Dense:
    """Each element from one of two lists of the same type and capacity."""
    pick: Callable[..., Any] = lambda a, b: tf.where(spread(condition, a), a, b)  # noqa: E731
    rows = (yes.row_lengths, no.row_lengths)
    lengths = tf.where(condition, *rows) if any(map(is_tensor, rows)) else no.row_lengths
    return dataclasses.replace(
        no, columns=tuple(map(pick, yes.columns, no.columns)), row_lengths=lengths
    )


def spread(condition: tf.Tensor, column: tf.Tensor) -> tf.Tensor:
    """A condition on each element in the shape in which it meets a column."""
    own = condition.shape.as_list()
    return tf.reshape(condition, own + [1] * (column.shape.rank - len(own)))


def repeated(elements: Dense, number: Any) -> Dense:
    """The elements again and again, a number of times that is the member's."""
    if elements.row_lengths is not None:
        raise TypeError("the rows of a repeated list would be one object")
    number = tf.cast(tf.maximum(narrowed(number), 0), tf.int64)
    total = number * tf.cast(elements.length, tf.int64)
    room = max(elements.capacity, capacity())
    require(total <= room, full(room))
    length = tf.cast(tf.minimum(total, room), tf.int32)
    places = tf.range(room)
    if not elements.is_static or elements.length:
        places = places % tf.maximum(elements.length, 1)
    return elements.taken(places, length)
