"""What changes a list in place: which elements are written, and what becomes of its length.

A change is a primitive: it is given the list as it is, and says what is to be written where.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import tensorflow as tf

from pcbatch.semantics import builtin_functions, pytree
from pcbatch.semantics.chosen_texts import ChosenText
from pcbatch.semantics.faults import require
from pcbatch.semantics.iterated import iterated
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.by_leaves import check_order
from pcbatch.semantics.lists.dense import Dense, Like, LooseRows, OnlyShared
from pcbatch.semantics.lists.fresh import Fresh
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.noted import note_shared
from pcbatch.semantics.lists.reductions import can_sort, sort
from pcbatch.semantics.lists.row_order import order_of
from pcbatch.semantics.lists.searching import first_of
from pcbatch.semantics.meanings import contents
from pcbatch.semantics.operators import is_tensor
from pcbatch.semantics.places import narrowed
from pcbatch.semantics.rounds import OnlyInProgram
from pcbatch.semantics.static_values import MemberSequence, Slice, as_index
from pcbatch.semantics.texts import Text


class Change(NamedTuple):
    """What a call that changes a list gives, and does.

    Attributes:
      result: what the call returns.
      place: where one element, or one row, is written; None where none is.
      element: per leaf, what is written there.
      row_length: the length of the row that is written.
      contents: per leaf, what all elements are afterwards; None where they are not all written.
      row_lengths: of rows that are all written, their lengths.
      length: what the length is afterwards; None where it stays.
      own: the place of the list itself among the rows of a list of lists.
      state: what became of a set, see `set_order`; None where it stays.
    """

    result: Any = None
    place: Any = None
    element: Any = None
    row_length: Any = None
    contents: Any = None
    row_lengths: Any = None
    length: Any = None
    own: Any = None
    state: Any = None


@dataclasses.dataclass(frozen=True)
class Changing:
    """A primitive's function that works out a change.

    Attributes:
      method: its name; "__setitem__" is an assignment.
      keywords: by which the last arguments are passed.
      options: what else is known of the list.
    """

    method: str
    keywords: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, target: MemberList, *values: Any) -> tuple[Any, ...]:
        positional = values[: len(values) - len(self.keywords)]
        named = dict(zip(self.keywords, values[len(positional) :], strict=True))
        change = CHANGES[self.method](target, *positional, **named, **dict(self.options))
        return tuple(change._replace(own=tf.cast(target.place(), tf.int32)))


# --- Elements ------------------------------------------------------------------------------------


def like_of(target: MemberList) -> Like:
    """The type of the elements."""
    buffers, tree = pytree.flatten(target.data)
    shapes = tuple(tuple(b.shape[1:]) for b in buffers)
    return Like(tree, tuple(b.dtype.name for b in buffers), shapes, target.layout.weak)


def _written(target: MemberList, place: Any, value: Any, **more: Any) -> Change:
    """The change that writes a value, or the elements of a row, to a place."""
    if not target.holds_rows:
        new = elements.of_items([value]).cast(like_of(target))
        return Change(place=target.place(place), element=tuple(c[0] for c in new.columns), **more)
    row = dense_of(value).cast(like_of(target)).resized(target.layout.capacity[-1])
    if not target.layout.grows[-1] and not (row.is_static and row.length == row.capacity):
        raise TypeError("a row of another length is put into a list of rows of one length")
    length = tf.cast(row.length, tf.int32) if target.layout.grows[-1] else None
    return Change(place=target.place(place), element=row.columns, row_length=length, **more)


def _set(target: MemberList, index: Any, value: Any) -> Change:
    if isinstance(index, Slice):
        return _set_slice(target, index, value)
    place = target.checked(index, "IndexError: list assignment index out of range")
    return _written(target, place, value)


def _set_slice(target: MemberList, where: Slice, value: Any) -> Change:
    mine = target.only_elements("an assignment to a slice")
    new = dense_of(value).cast(like_of(target))
    places, count = target.places(*where)
    known = new.is_static and not is_tensor(count)
    if not (known and new.length == count) and (where.step is None or as_index(where.step) == 1):
        if not target.grows:
            raise ChangesLength
        before = mine.taken(tf.range(mine.capacity), places[0])
        after = mine.taken(
            tf.range(mine.capacity) + places[0] + count, mine.length - places[0] - count
        )
        return _all(target, elements.joined(elements.joined(before, new), after))
    require(
        tf.equal(new.length, count),
        "ValueError: attempt to assign a sequence to an extended slice of another length",
    )
    step = places[1] - places[0] if places.shape[0] > 1 else tf.constant(1)
    rank = tf.range(mine.capacity) - (places[0] if places.shape[0] else 0)
    own = tf.equal(rank % step, 0) & (rank // step >= 0) & (rank // step < count)
    return _all(target, elements.chosen(own, new.taken(rank // step, count), mine))


class ChangesLength(Exception):
    """A list of a fixed length becomes another length."""


def _append(target: MemberList, value: Any) -> Change:
    length = tf.cast(target.length(), tf.int32)
    require(length < target.room, elements.full(target.room))
    return _written(target, tf.minimum(length, target.room - 1), value, length=length + 1)


def _pop(target: MemberList, index: Any = -1) -> Change:
    length = tf.cast(target.length(), tf.int32)
    if not target.layout.known and not target.holds_rows:
        raise IndexError("pop from empty list")
    if not is_tensor(index) and as_index(index) == -1:
        require(length > 0, "IndexError: pop from empty list")
        return Change(result=_taken(target, tf.maximum(length - 1, 0)), length=length - 1)
    require(length > 0, "IndexError: pop from empty list")
    place = target.checked(index, "IndexError: pop index out of range")
    return _without(target, place)._replace(result=_taken(target, place))


def _delete(target: MemberList, index: Any) -> Change:
    """`del xs[index]`."""
    return _without(target, target.checked(index, "IndexError: list assignment index out of range"))


def _taken(target: MemberList, place: Any) -> Any:
    """An element that is about to be taken out; a row is copied."""
    element = target.item(place)
    return made(element.dense()) if isinstance(element, MemberList) else element


# --- All elements --------------------------------------------------------------------------------


def _all(target: MemberList, new: Dense) -> Change:
    """The change after which the elements, or the rows, are others."""
    new = new.resized(target.room)
    length = tf.cast(new.length, tf.int32) if target.grows else None
    if not target.holds_rows:
        return Change(contents=new.columns, length=length)
    columns = tuple(tf.reshape(column, [-1, *column.shape[2:]]) for column in new.columns)
    rows = tf.cast(new.row_lengths, tf.int32) if target.layout.grows[-1] else None
    return Change(contents=columns, row_lengths=rows, length=length)


def _without(target: MemberList, place: Any) -> Change:
    """The change that takes one element out, or one row."""
    mine = target.dense()
    places = tf.range(mine.capacity)
    return _all(target, mine.taken(places + tf.cast(places >= place, tf.int32), mine.length - 1))


def _insert(target: MemberList, index: Any, value: Any) -> Change:
    mine = target.dense()
    length = tf.cast(mine.length, tf.int32)
    require(length < mine.capacity, elements.full(mine.capacity))
    index = narrowed(index)
    place = tf.clip_by_value(tf.where(index < 0, index + length, index), 0, length)
    places = tf.range(mine.capacity)
    moved = mine.taken(places - tf.cast(places > place, tf.int32), length + 1)
    new = _single(target, value).taken(places * 0, length + 1)
    return _all(target, elements.chosen(tf.equal(places, place), new, moved))


def _single(target: MemberList, value: Any) -> Dense:
    """A list of one element, or of one row."""
    if not target.holds_rows:
        return elements.of_items([value]).cast(like_of(target))
    row = dense_of(value).cast(like_of(target)).resized(target.layout.capacity[-1])
    lengths = tf.reshape(tf.cast(row.length, tf.int32), [1]) if target.layout.grows[-1] else 0
    columns = tuple(column[tf.newaxis] for column in row.columns)
    return Dense(row.tree, columns, row.weak, 1, lengths)


def _extend(target: MemberList, values: Any) -> Change:
    mine, new = target.dense(), new_elements(target, values)
    length = mine.length + new.length
    require(length <= mine.capacity, elements.full(mine.capacity))
    places = tf.range(mine.capacity)
    return _all(target, elements.chosen(
        places < mine.length, mine.taken(places, length), new.taken(places - mine.length, length)
    ))  # fmt: skip


def new_elements(target: MemberList, values: Any) -> Dense:
    """The elements that a list is extended by."""
    values = contents(values)
    if isinstance(values, Held):
        values = values.in_order()
    if not isinstance(values, (list, ChosenText, MemberSequence, Text)):
        values = list(values)
    return _added(target, dense_of(values), values)


def _added(target: MemberList, new: Dense, values: Any) -> Dense:
    """What a list is extended by, of the type and with the room of what it has."""
    new = new.cast(like_of(target))
    if not target.holds_rows:
        return new
    if new.row_lengths is None or not target.layout.grows[-1]:
        raise LooseRows
    note_shared(values)
    return elements.with_room(new, target.layout.capacity[-1])


def _remove(target: MemberList, value: Any) -> Change:
    return _remove_with(target, value, "ValueError: list.remove(x): x not in list")


def _remove_with(target: MemberList, value: Any, message: str) -> Change:
    found = target._equal_to(value)
    require(tf.reduce_any(found), message)
    return _without(target, first_of(found))


def _clear(target: MemberList) -> Change:
    return Change(length=tf.constant(0))


def _sort(target: MemberList, *, key: Any = None, reverse: Any = False) -> Change:
    if target.holds_rows and key is None:
        mine = target.dense()
        return _all(target, mine.taken(order_of(mine, bool(reverse)), mine.length))
    if target.holds_rows:
        raise OnlyShared(
            "lists that are written to are put in order without a key; let the elements be tuples: "
            "spans.append((a, b))"
        )
    mine = target.dense()
    if key is not None or not can_sort(mine):
        if not mine.is_static:
            check_order(mine.tree)
            raise TypeError(
                "a list whose length depends on the member is sorted by its elements, which must "
                "be numbers, without a key"
            )
        return _all(target, dense_of(sorted_items(target, key, reverse)).cast(like_of(target)))
    return _all(target, sort(mine, bool(reverse)))


def sorted_items(target: MemberList, key: Any, reverse: Any) -> list[Any]:
    """The elements of a list of static length in order."""
    return list(builtin_functions.builtin(sorted, list(target), key=key, reverse=reverse))


def _reverse(target: MemberList) -> Change:
    mine = target.dense()
    places = mine.length - 1 - tf.range(mine.capacity)
    return _all(target, mine.taken(places, mine.length))


CHANGES: dict[str, Callable[..., Change]] = {
    "__setitem__": _set, "append": _append, "pop": _pop, "insert": _insert, "extend": _extend,
    "__delitem__": _delete, "remove": _remove, "clear": _clear, "sort": _sort, "reverse": _reverse,
}  # fmt: skip
"""Methods that change a list, and `__setitem__` for an assignment to an element or a slice.

`set_changes` and `held_changes` add those of sets, dicts and queues, "set.add".
"""


@dataclasses.dataclass(frozen=True)
class Followed:
    """A primitive's function that changes a copy of a list of a known length.

    It gives what the method gives, and the list.

    Attributes:
      method: its name.
    """

    method: str

    makes: ClassVar[Fresh] = Fresh(False, ((1, Fresh(True)),))
    METHODS: ClassVar[dict[str, int]] = {"append": 1, "extend": 1, "pop": 0, "clear": 0}
    """Those that are known, with the number of their arguments."""

    def __call__(self, bound: Any, *values: Any) -> tuple[Any, ...]:
        new = list(bound.__self__)
        if self.method == "extend":
            values = tuple(list(iterated(value)) for value in values)
        return getattr(new, self.method)(*values), new


KEEPS_LENGTH = (
    "__setitem__",
    "sort",
    "reverse",
    "deque.__setitem__",
    "deque.reverse",
    "deque.rotate",
    "dict.ordered_move_to_end",
)


def changing_method(name: str, what: str = "a list") -> Callable[..., Any]:
    """What stands for a method that changes a list: inference runs it, see `Changing`."""

    def method(self: MemberSequence, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self.stands_for, name):
            raise AttributeError(f"'{self.stands_for.__name__}' object has no attribute '{name}'")
        raise OnlyInProgram(
            f"{what} is changed by `{name}` inside an expression, which runs once for all members: "
            "write it as a statement"
        )

    method.__name__ = name
    return method


for _name in CHANGES:
    setattr(MemberList, _name, changing_method(_name))
