"""The values of a dict of lists, which are the rows of one list: a dict has the place of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.dense import Dense, LooseRows
from pcbatch.semantics.lists.dicts import MemberDict
from pcbatch.semantics.lists.held import CHANGED
from pcbatch.semantics.lists.layout import ListLayout
from pcbatch.semantics.lists.member import MemberList, dense_of, made
from pcbatch.semantics.lists.tables import chosen, element_at
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported, ValueOfDict
from pcbatch.semantics.operators import compare
from pcbatch.semantics.rounds import UnknownLength
from pcbatch.semantics.static_values import MemberSequence


@dataclasses.dataclass(eq=False, repr=False)
class Placed(MemberSequence):
    """The values, or the pairs, of a dict of lists.

    Attributes:
      places: by key, the place of its row.
      rows: the lists.
      with_keys: whether these are pairs of a key and a list.
      count: how many there were when a loop over them began; None outside of loops.
    """

    places: MemberDict
    rows: Any
    with_keys: bool
    count: Any = None

    called = "view of a dict"

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return type({}.items()) if self.with_keys else type({}.values())

    def length(self) -> Any:
        """The number of elements; a member stops where a loop has changed it."""
        length = self.places.length()
        if self.count is None:
            return length
        require(tf.equal(length, self.count), CHANGED["dict"])
        return self.count

    def gone_over(self) -> Placed:
        """What a loop goes over."""
        count = tf.identity(tf.convert_to_tensor(self.places.length()))
        return dataclasses.replace(self, count=count)

    def item(self, index: Any) -> Any:
        """The element at a place that there is."""
        keys, places = self.places.pairs()
        row = self.rows.item(element_at(places, index))
        return (element_at(keys, index), row) if self.with_keys else row

    def builtin(self, function: Callable[..., Any], kwargs: Any) -> Any:
        """What one of Python's builtins gives of it."""
        if function is len:
            return self.length()
        if function is bool:
            return self.truth()
        if function is sorted and self.with_keys and kwargs.get("key") is None:
            # No two keys are equal, so that the lists are not compared.
            pairs = Meanings.builtin(sorted, (self.places.items(),), kwargs)
            return dataclasses.replace(self, places=self.places.keeping(pairs))
        raise UnknownLength("a number of rounds depends on data")

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(f"'{self.stands_for.__name__}' object is not subscriptable")

    def contains(self, value: Any) -> NoReturn:
        """Refuse to look for a list."""
        refuse("`in` the values of a dict of lists")

    def is_same(self, other: Any) -> Any:
        """Whether another one is this very object."""
        return self is other

    def truth(self) -> Any:
        """Whether there are elements."""
        return compare("!=", self.length(), 0)

    def backward(self) -> NoReturn:
        """Refuse what no loop needs."""
        refuse("`reversed` of the values of a dict of lists")

    def __iter__(self) -> Iterator[Any]:
        raise UnknownLength("a number of rounds depends on data")

    def __len__(self) -> int:
        return len(self.places)

    __hash__ = None  # type: ignore[assignment]


def refuse(what: str) -> NoReturn:
    """Refuse what cannot be done with a dict of lists."""
    raise Unsupported(
        what,
        "the lists of a dict can be gone over one by one, and be read by their keys.",
        "write a loop: for key, row in table.items():",
    )


@dataclasses.dataclass(frozen=True)
class Lookup:
    """What `d[key]` is looked up in.

    Attributes:
      places: what the place of a key is looked up in.
      rows: the lists.
    """

    places: Any
    rows: MemberList

    def __getitem__(self, key: Any) -> Any:
        place = self.places[key]
        return self.rows.item(place)


def view(places: MemberDict, rows: MemberList, with_keys: bool) -> Placed:
    """The values, or the pairs, of a dict of lists."""
    return Placed(places, rows, with_keys)


def get(places: MemberDict, rows: MemberList, key: Any, default: Any) -> Any:
    """`d.get(key, default)`: a copy, which must not change."""
    if not (places.stored.layout.known and rows.layout.known):  # there has been no key yet
        return default
    if default is None:
        raise ValueOfDict("get")
    there, at = places.found(key)
    row = rows.item(places.value_at(at))
    if not rows.holds_rows and isinstance(default, (list, MemberList)):
        raise LooseRows
    if not rows.holds_rows:
        return chosen(there, row, default)
    return _copied(there, row.dense(), dense_of(default))


def _copied(there: tf.Tensor, row: Dense, default: Dense) -> MemberList:
    """One of two lists: a copy, which must not change."""
    room = max(row.capacity, default.capacity)
    row, default = (x.resized(room) for x in elements.unified([row, default]))
    columns = (tf.where(there, *pair) for pair in zip(row.columns, default.columns, strict=True))
    length = tf.where(there, row.length, default.length)
    found = made(Dense(row.tree, tuple(columns), row.weak, length))
    known = found.layout
    layout = ListLayout(known.capacity, known.grows, known.weak, borrowed=True)
    return dataclasses.replace(found, layout=layout)
