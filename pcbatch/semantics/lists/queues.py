"""Queues of one member, and what loops over containers go over."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.semantics.lists.dicts import MemberDict, MemberView
from pcbatch.semantics.lists.held import Going, Held
from pcbatch.semantics.lists.set_walks import walk_of
from pcbatch.semantics.lists.sets import MemberSet
from pcbatch.semantics.operators import compare


@dataclasses.dataclass(eq=False, repr=False)
class MemberDeque(Held):
    """A `collections.deque`.

    Attributes:
      maxlen: so many elements at most; of any number None.
    """

    called = "deque"
    maxlen: Any = None

    @property
    def stands_for(self) -> type:
        """The type that Python has for it."""
        return collections.deque

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        place = self.stored.checked(index, "IndexError: deque index out of range")
        return self.stored.item(place)

    def item(self, index: Any) -> Any:
        """The element at a place that there is."""
        return self.stored.item(index)

    def count(self, value: Any) -> Any:
        """How many elements equal a value."""
        return self.stored.count(value)

    def index(self, value: Any, start: Any = 0, stop: Any = None) -> Any:
        """The first place of a value; the member stops where there is none."""
        return self.stored.index(value, start, stop, kind=collections.deque)

    def __eq__(self, other: object) -> Any:
        return isinstance(other, MemberDeque) and self.stored == other.stored

    def __ne__(self, other: object) -> Any:
        return compare("==", self == other, False)


def gone_over(value: Any, owner: Any) -> Any:
    """What a loop over a set, a dict, a part of a dict or a queue goes over.

    Args:
      value: it.
      owner: the same, or the object on the heap that is so at this moment.
    """
    count = tf.identity(tf.convert_to_tensor(value.length()))
    if isinstance(value, MemberSet):
        return walk_of(owner, count)
    kind = "dict" if isinstance(value, (MemberDict, MemberView)) else "deque"
    return Going(owner, count, kind)
