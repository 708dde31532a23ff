"""Make lists whose elements are in buffers of what expressions give."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.changes import like_of
from pcbatch.semantics.lists.containers import as_held
from pcbatch.semantics.lists.dense import Dense, Like, LooseRows, NotOneType
from pcbatch.semantics.lists.layout import ListLayout, capacity, with_capacity
from pcbatch.semantics.lists.member import MemberList, dense_of, of_rows, sizes_of
from pcbatch.semantics.lists.noted import NOTED
from pcbatch.semantics.lists.queues import MemberDeque
from pcbatch.semantics.lists.tuples import MemberTuple, tuple_of
from pcbatch.semantics.sharing import is_array


class HoldsLists(NotOneType):
    """The elements of a list are lists of the member: they have to be its rows.

    Args:
      grows: whether their lengths may change.

    Attributes:
      path: where the list is in the results of the primitive.
    """

    def __init__(self, grows: bool):
        super().__init__("the elements of a list are lists")
        self.grows = grows
        self.path: tuple[Any, ...] = ()


@dataclasses.dataclass(frozen=True)
class ListPlan:
    """How a list that an expression makes is kept.

    Attributes:
      grows: per level, whether its length may change.
      like: of the elements, as far as known.
      capacity: per level that grows, at least so many places.
    """

    grows: tuple[bool, ...]
    like: Like | None = None
    capacity: int = 0

    def make(self, value: Any) -> Any:
        """What keeps its elements in buffers, of a list, a set, a dict or a queue.

        Raises:
          NotOneType: its elements have not one type.
        """
        if isinstance(value, collections.deque):
            return MemberDeque(self._list(list(value)), value.maxlen)
        held = as_held(value)
        if held is None:
            return self._list(value)
        return held.keeping(self._list(held.stored))

    def _with_room(self, rows: MemberList) -> MemberList:
        """A list of rows of elements as planned, in which the lengths may change that are to."""
        wanted = zip(rows.layout.grows, self.grows, strict=False)
        like = own = like_of(rows)
        if self.like is not None and self.like.tree == own.tree:  # else it was of lists as elements
            like = self.like
        if like == own and all(has or not wants for has, wants in wanted):
            return rows
        new = rows.dense().cast(like)
        if self.grows[-1] and not rows.layout.grows[-1]:
            new = elements.with_room(new, max(capacity(), rows.layout.capacity[-1]))
        if self.grows[0] and new.is_static:
            new = new.resized(max(capacity(), new.capacity))
            new = dataclasses.replace(new, length=tf.constant(int(new.length)))
        return of_rows(new)

    def _list(self, value: Any) -> MemberList:
        """The list or the tuple, of Python's or of another one of the member."""
        if isinstance(value, MemberList) and value.holds_rows:
            return self._with_room(value)  # a copy has rows of its own
        if len(self.grows) == 1:
            is_tuple = isinstance(value, (tuple, MemberTuple))
            _note_twice(value)
            if isinstance(value, list):
                _check_elements(value)
            found = _elements(list(value) if isinstance(value, tuple) else value, self.like)
            made = _stored([found], self, None)
            return tuple_of(made) if is_tuple else made
        if isinstance(value, MemberList):
            raise LooseRows
        if any(row is None for row in value):
            raise NotOneType("an element is None or a list: make lists, [[] for _ in xs]")
        if len({id(row) for row in value}) < len(value):
            raise NotOneType("one row must not be in it twice, row[:] is another one")
        if any(row.holds_rows for row in _lists_of_members(value)):
            raise NotOneType("a list of lists of lists of the member is not known")
        rows = [_elements(row, self.like) for row in value]
        if any(isinstance(row, MemberTuple) for row in value):
            raise NotOneType("a row of a list of lists must be a list, not tuple")
        if (noted := NOTED.get()) is not None:
            noted.rows += value
        if self.like is None and rows:
            rows = elements.unified(rows)
        return _stored(rows, self, len(rows))


def _elements(value: Any, like: Like | None) -> Dense:
    if not isinstance(value, (list, MemberList)):
        raise NotOneType(f"a row of a list of lists must be a list, not {type(value).__name__}")
    found = dense_of(value)
    return found if like is None else found.cast(like)


def _lists_of_members(value: Iterable[Any]) -> list[MemberList]:
    """The elements that are lists of the member."""
    return [
        row for row in value if isinstance(row, MemberList) and not isinstance(row, MemberTuple)
    ]


def _check_elements(value: list[Any]) -> None:
    """Have lists that are empty, or of lengths that differ or depend on the member, be rows."""
    lists = _lists_of_members(value)
    if lists:
        raise HoldsLists(any(row.layout.grows[-1] for row in lists))
    lengths = {len(row) if type(row) is list else None for row in value}
    if None not in lengths and (0 in lengths or len(lengths) > 1):
        raise HoldsLists(True)


def _note_twice(value: Any) -> None:
    """Note a list that has one array twice: in NumPy what changes one of them changes both."""
    arrays = [id(x) for x in value if is_array(x)] if isinstance(value, list) else []
    noted = NOTED.get()
    if noted is not None and len(set(arrays)) < len(arrays):
        noted.twice.append(value)


def _stored(lists: list[Dense], plan: ListPlan, number: int | None) -> MemberList:
    """The list of the elements, or of rows of them where there is a number of rows.

    Args:
      lists: the elements of the list, or of each row.
      plan: what it is like.
      number: of rows.
    """
    first = lists[0] if lists else elements.nothing(plan.like)
    grows = plan.grows
    known = plan.like is not None or not all(x.is_static and x.length == 0 for x in lists)
    if (
        any(not x.is_static for x in lists)
        or len({int(x.length) for x in lists if x.is_static}) > 1
    ):
        grows = (*grows[:-1], True)
    lengths = (x.capacity if not x.is_static else int(x.length) for x in lists)
    room = max(lengths, default=capacity())
    if grows[-1]:
        room = max(room, capacity(), plan.capacity)
    columns = [x.resized(room) for x in lists]
    if number is None:
        layout = ListLayout((room,), grows, first.weak, known)
        stored = [Buffer(c) for c in columns[0].columns]
        sizes = sizes_of(lists, grows[-1])
    else:
        places = max(number, capacity()) if grows[0] else number
        layout = ListLayout((places, room), grows, first.weak, known)
        stored = [Buffer(_rows(k, columns, places, first)) for k in range(len(first.columns))]
        sizes = _row_sizes(lists, number, places, grows)
    return MemberList(pytree.unflatten(first.tree, stored), sizes, (), layout)


def _rows(leaf: int, rows: Sequence[Dense], places: int, like: Dense) -> tf.Tensor:
    """One column of all rows, one behind the other."""
    own = [row.columns[leaf] for row in rows]
    shape = like.columns[leaf].shape[1:]
    room = rows[0].capacity if rows else capacity()
    empty = tf.zeros([(places - len(rows)) * room, *shape], like.columns[leaf].dtype)
    return tf.concat([*own, empty], 0)


def _row_sizes(
    rows: Sequence[Dense], number: int, places: int, grows: tuple[bool, ...]
) -> tuple[Buffer, ...]:
    sizes = [Buffer(tf.constant([number], tf.int32))] if grows[0] else []
    if grows[1]:
        lengths = [tf.cast(row.length, tf.int32) for row in rows]
        sizes.append(Buffer(tf.stack([*lengths, *[tf.constant(0)] * (places - number)])))
    return tuple(sizes)


@dataclasses.dataclass(frozen=True)
class Making:
    """A primitive's function some of whose results are, or hold, lists that are kept in buffers.

    Attributes:
      function: gives Python's results.
      plans: by where a list is in the tuple of results.
    """

    function: Callable[..., tuple[Any, ...]]
    plans: tuple[tuple[tuple[Any, ...], ListPlan], ...]

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        results: Any = self.function(*values)
        for path, plan in self.plans:
            try:
                results = _replaced(results, path, plan.make)
            except HoldsLists as error:
                error.path = path
                raise
        return tuple(results)

    @property
    def __code__(self) -> Any:
        """Where the expression stands, as for a function."""
        return self.function.__code__


@dataclasses.dataclass(frozen=True)
class Roomier:
    """A primitive's function in which lists that grow have more room than at first."""

    function: Callable[..., tuple[Any, ...]]
    capacity: int

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        with with_capacity(self.capacity):
            return self.function(*values)

    @property
    def __code__(self) -> Any:
        """Where the expression stands, as for a function."""
        return self.function.__code__


def _replaced(value: Any, path: tuple[Any, ...], make: Callable[[Any], Any]) -> Any:
    """A structure with one of its parts made anew."""
    if not path:
        return make(value)
    key, *rest = path
    return pytree.with_part(value, key, lambda part: _replaced(part, tuple(rest), make))
