"""Dicts of one member, and counters."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping
from typing import Any, NoReturn

import tensorflow as tf

from pcbatch.semantics import pytree
from pcbatch.semantics.faults import require
from pcbatch.semantics.keys import Missing, check_key, first_in_rows, missing
from pcbatch.semantics.lists import dense as elements
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.equal_elements import alike, in_other, kept, no_nan
from pcbatch.semantics.lists.held import Held
from pcbatch.semantics.lists.member import MemberList, made
from pcbatch.semantics.lists.searching import equal_to, first_of
from pcbatch.semantics.lists.sets import MemberSet, SetOperators
from pcbatch.semantics.lists.tables import adds, chosen, element_at, or_none
from pcbatch.semantics.meanings import Meanings
from pcbatch.semantics.misuse import Unsupported
from pcbatch.semantics.operators import compare, mark_weak
from pcbatch.semantics.places import narrowed

ZEROS: dict[str, Any] = {"Counter": 0, "int": 0, "float": 0.0, "bool": False, "complex": 0j}
"""What a missing key counts as, by the kind of a dict: `Counter`, or what a `defaultdict` calls."""

_KINDS = {
    "dict": dict, "Counter": collections.Counter, "OrderedDict": collections.OrderedDict,
}  # fmt: skip


@dataclasses.dataclass(eq=False, repr=False)
class MemberDict(Held):
    """A dict; its list has pairs of a key and a value.

    Attributes:
      kind: "dict" or "OrderedDict"; or what says what a missing key counts as, see `ZEROS`.
    """

    called = "dict"
    kind: str = "dict"

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return _KINDS.get(self.kind, collections.defaultdict)

    def pairs(self) -> tuple[Dense, Dense]:
        """The keys, and the values."""
        return pairs_of(self.stored.dense())

    def dense(self) -> Dense:
        """The keys."""
        return self.pairs()[0]

    def found(self, key: Any) -> tuple[tf.Tensor, tf.Tensor]:
        """Whether there is a key, and the place of it."""
        check_key(key)
        same = equal_to(self.dense(), key)
        return tf.reduce_any(same), first_of(same)

    def contains(self, value: Any) -> Any:
        """Whether there is a key."""
        return self.found(value)[0]

    def value_at(self, place: Any) -> Any:
        """The value at a place that there is."""
        return element_at(self.pairs()[1], place)

    def looked_up(self, *texts: str, adding: bool = False) -> Lookup:
        """What `d[key]` is looked up in.

        Args:
          *texts: the user's text of the key.
          adding: a missing key is added afterwards.
        """
        return Lookup(self, texts, adding)

    def __getitem__(self, key: Any) -> Any:
        return self.looked_up()[key]

    def get(self, key: Any, default: Any = None) -> Any:
        """`d.get(key, default)`."""
        if not self.stored.layout.known:
            return default
        there, place = self.found(key)
        if default is None:
            return or_none(there, self.value_at(place))
        return chosen(there, self.value_at(place), default)

    def keys(self) -> MemberView:
        """The keys in order."""
        return MemberView(self.stored, "keys")

    def values(self) -> MemberView:
        """The values in the order of their keys."""
        return MemberView(self.stored, "values")

    def items(self) -> MemberView:
        """The pairs in order."""
        return MemberView(self.stored, "items")

    def total(self) -> Any:
        """`Counter.total`."""
        mine = self.pairs()[1]
        counted = tf.where(mine.used, mine.columns[0], tf.zeros([], mine.columns[0].dtype))
        return mark_weak(tf.reduce_sum(counted))

    def most_common(self, number: Any = None) -> MemberList:
        """`Counter.most_common`: of equal counts the key that came first."""
        mine = self.stored.dense()
        counts = self.pairs()[1].columns[0]
        order = tf.argsort(counts, direction="DESCENDING", stable=True)
        order = tf.gather(
            order, tf.argsort(tf.cast(~tf.gather(mine.used, order), tf.int32), stable=True)
        )
        length = mine.length
        if number is not None:
            length = tf.minimum(length, tf.maximum(narrowed(number), 0))
        return made(mine.taken(order, mark_weak(tf.identity(length))))

    def _no_counter(self, other: Any, what: str) -> None:
        """Refuse what a `Counter` does in another way."""
        kinds = (getattr(other, "kind", ""), self.kind)
        if "Counter" in kinds or isinstance(other, collections.Counter):
            raise TypeError(f"{what} of a Counter: make a dict of it first, dict(counts)")

    def __or__(self, other: Any) -> Any:
        self._no_counter(other, "`|`")
        return Meanings.dict_of([self, other])

    def __ror__(self, other: Any) -> Any:
        self._no_counter(other, "`|`")
        return Meanings.dict_of([other, self])

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, (dict, MemberDict)):
            return False
        self._no_counter(other, "a comparison")
        theirs = items_of(other)
        if self.stands_for is collections.OrderedDict and _is_ordered(other):
            return self.stored == made(theirs)
        mine = self.stored.dense()
        found = tf.reduce_all(in_other(mine, theirs) | ~mine.used)
        return tf.equal(mine.length, theirs.length) & found

    def __ne__(self, other: object) -> Any:
        return compare("==", self == other, False)


def _is_ordered(value: Any) -> bool:
    kind = value.stands_for if isinstance(value, MemberDict) else type(value)
    return issubclass(kind, collections.OrderedDict)


def pairs_of(mine: Dense) -> tuple[Dense, Dense]:
    """The first and the second parts of pairs."""
    if not isinstance(mine.tree, pytree.Node):  # there has been none yet
        return mine, mine
    first, second = mine.tree.children
    split = pytree.count(first)
    keys = Dense(first, mine.columns[:split], mine.weak[:split], mine.length, known=mine.known)
    return keys, Dense(
        second, mine.columns[split:], mine.weak[split:], mine.length, known=mine.known
    )


def items_of(mapping: Any) -> Dense:
    """The pairs of a dict, or of a sequence of pairs."""
    if isinstance(mapping, MemberDict):
        return mapping.stored.dense()
    if isinstance(mapping, MemberList):
        return mapping.dense()
    items = mapping.items() if isinstance(mapping, dict) else mapping
    return elements.of_items([tuple(pair) for pair in items])


def last_of_each(mine: Dense) -> Dense:
    """One pair of each key: at its first place, with its last value."""
    keys, _ = pairs_of(mine)
    no_nan(keys)
    same = alike(keys, keys) & mine.used[tf.newaxis, :]
    last = mine.capacity - 1 - first_in_rows(same[:, ::-1])
    newest = mine.taken(last, mine.length)
    columns = (*keys.columns, *newest.columns[len(keys.columns) :])
    first = first_in_rows(same)
    is_first = tf.equal(first, tf.range(mine.capacity)) & mine.used
    return kept(dataclasses.replace(mine, columns=columns), is_first)


def refuse_names(kind: str, named: Mapping[str, Any]) -> None:
    """Refuse keys that are names, `a=1`, of a dict whose keys are members' numbers.

    Raises:
      Unsupported: there are some.
    """
    if named:
        raise Unsupported(
            f"a {kind} of the member is given `{next(iter(named))}=`",
            "the keys of a dict that each member has of its own are numbers, or tuples of numbers.",
            "number the keys: RED, GREEN, BLUE = 0, 1, 2\ntable[RED] = x",
        )


def zero_of(kind: str) -> Any:
    """What a missing key counts as; None where it is an error."""
    return ZEROS.get(kind)


@dataclasses.dataclass(frozen=True)
class Lookup:
    """What `d[key]` is looked up in, of a dict of the member."""

    owner: MemberDict
    texts: tuple[str, ...]
    adding: bool = False

    def __getitem__(self, key: Any) -> Any:
        zero = zero_of(self.owner.kind)
        if zero is not None and (self.adding or self.owner.kind == "Counter"):
            return self.owner.get(key, zero)
        there, place = self.owner.found(key)
        text = self.texts[0] if len(self.texts) == 1 else f"({', '.join(self.texts)})"
        message = missing(key, text if self.texts else "") if zero is None else adds(zero)
        if zero is None and not self.owner.stored.layout.known:
            raise Missing(message)
        require(there, message)
        return self.owner.value_at(place)


_VIEWS: dict[str, type] = {
    "keys": type({}.keys()), "values": type({}.values()), "items": type({}.items()),
}  # fmt: skip


@dataclasses.dataclass(eq=False, repr=False)
class MemberView(SetOperators, Held):
    """The keys, the values, or the pairs of a dict, as it is at any time.

    Attributes:
      what: which of them.
    """

    called = "view of a dict"
    what: str

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return _VIEWS[self.what]

    def _of_sets(self, other: Any) -> tuple[MemberSet, MemberSet] | None:
        return super()._of_sets(other) if self.what != "values" else None

    def dense(self) -> Dense:
        """The elements."""
        mine = self.stored.dense()
        return mine if self.what == "items" else pairs_of(mine)[self.what == "values"]


@dataclasses.dataclass(eq=False, repr=False)
class KeysOfNone(MemberView):
    """`dict.fromkeys(keys)`, of which only the keys are known here: all values are None."""

    called = "dict of the member"
    kind: str = "dict"

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return _KINDS[self.kind]

    def _of_sets(self, other: Any) -> Any:
        self._refuse()

    def __getitem__(self, key: Any) -> Any:
        self._refuse()

    def looked_up(self, *texts: str, adding: bool = False) -> Any:
        """What `d[key]` is looked up in."""
        self._refuse()

    def keys(self) -> MemberView:
        """The keys in order."""
        return MemberView(self.stored, "keys")

    @staticmethod
    def _refuse() -> NoReturn:
        raise Unsupported(
            "`dict.fromkeys` without a value gives a dict whose values are None",
            "only its keys are known here: `list(d)`, `len(d)`, `x in d`, and a loop over it.",
            "give it a value: dict.fromkeys(keys, 0)",
        )
