"""What a loop over a set goes over: its elements in Python's order, as they were at first."""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from pcbatch.semantics.faults import require
from pcbatch.semantics.lists.dense import Dense
from pcbatch.semantics.lists.held import Going
from pcbatch.semantics.lists.set_order import CHANGED
from pcbatch.semantics.lists.tables import element_at


@dataclasses.dataclass(eq=False, repr=False)
class Walk(Going):
    """A loop over a set, which must stay as it is: Python would come to what is new, or would not.

    Attributes:
      state: of the set when the loop began.
      before: the columns of the elements then, in the order in which they are stored.
      walked: the same in Python's order.
    """

    state: Any
    before: tuple[tf.Tensor, ...]
    walked: tuple[tf.Tensor, ...]

    def length(self) -> Any:
        """The number of elements; a member stops where the set is another one than it was."""
        count, mine = super().length(), self.over.dense()
        same = tf.equal(self.over.state(), self.state)
        for now, then in zip(mine.columns, self.before, strict=True):
            same &= tf.reduce_all(tf.equal(now, then) | ~mine.used)
        require(same, CHANGED)
        return count

    def item(self, index: Any) -> Any:
        """The element at a place that there is."""
        mine = self.over.dense()
        return element_at(Dense(mine.tree, self.walked, mine.weak, self.count), index)


def walk_of(over: Any, count: Any) -> Walk:
    """What a loop over a set goes over; a member stops where the order is not known.

    Args:
      over: the set, or an object on the heap that is one.
      count: the number of elements.
    """
    walked, before = (
        tuple(map(tf.identity, mine.columns)) for mine in (over.walked().dense(), over.dense())
    )
    state = tf.identity(tf.convert_to_tensor(over.state()))
    return Walk(over, count, "set", state, before, walked)
