"""Make lists whose elements are in buffers of what expressions give."""

from __future__ import annotations

import contextvars
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.buffers import Buffer
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.containers import as_held
from pcbatch.semantics.lists.dense import Dense, Like, NotOneType
from pcbatch.semantics.lists.layout import ListLayout, capacity, with_capacity
from pcbatch.semantics.lists.member import MemberList, dense_of, sizes_of
from pcbatch.semantics.lists.tuples import MemberTuple, tuple_of
from pcbatch.semantics.sharing import is_array

TWICE: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("twice", default=None)
"""Takes, while a primitive is tried, the lists of the member that have one array twice."""


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
        held = as_held(value)
        if held is None:
            return self._list(value)
        return dataclasses.replace(held, stored=self._list(held.stored))

    def _check_growth(self, layout: ListLayout) -> None:
        for has, wanted in zip(layout.grows, self.grows, strict=False):
            if wanted and not has:
                raise NotOneType("the rows of a deep copy have the lengths that they had")

    def _list(self, value: Any) -> MemberList:
        """The list or the tuple, of Python's or of another one of the member."""
        if isinstance(value, MemberList) and value.holds_rows:
            self._check_growth(value.layout)
            return value  # a deep copy has rows of its own
        if len(self.grows) == 1:
            is_tuple = isinstance(value, (tuple, MemberTuple))
            _note_twice(value)
            found = _elements(list(value) if isinstance(value, tuple) else value, self.like)
            made = _stored([found], self, None)
            return tuple_of(made) if is_tuple else made
        if any(row is None for row in value):
            raise NotOneType("an element is None or a list: make lists, [[] for _ in xs]")
        if len({id(row) for row in value}) < len(value):
            raise NotOneType("one row must not be in it twice, row[:] is another one")
        rows = [_elements(row, self.like) for row in value]
        if any(isinstance(row, MemberTuple) for row in value):
            raise NotOneType("a row of a list of lists must be a list, not tuple")
        if self.like is None and rows:
            rows = elements.unified(rows)
        return _stored(rows, self, len(rows))


def _elements(value: Any, like: Like | None) -> Dense:
    if not isinstance(value, (list, MemberList)):
        raise NotOneType(f"a row of a list of lists must be a list, not {type(value).__name__}")
    found = dense_of(value)
    return found if like is None else found.cast(like)


def _note_twice(value: Any) -> None:
    """Note a list that has one array twice: in NumPy what changes one of them changes both."""
    arrays = [id(x) for x in value if is_array(x)] if isinstance(value, list) else []
    noted = TWICE.get()
    if noted is not None and len(set(arrays)) < len(arrays):
        noted.append(value)


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
    room = max((x.capacity if not x.is_static else int(x.length) for x in lists), default=0)
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
            results = _replaced(results, path, plan.make)
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
