"""The lanes of one execution of a block, and the members in them.

A block runs either for the whole batch, member b in lane b, under a mask; or for a *bucket*: some
of the members that stand at it, gathered into the lanes, and put back afterwards. What either costs
depends on its lanes, not on the members in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from pcbatch.backend.target import Target
from pcbatch.vectorizer import select


class Lanes(NamedTuple):
    """The lanes of one execution.

    Attributes:
      mask: bool[lanes], which lanes hold a member that moves; bool[] for one by itself.
      members: int32[lanes], the member in each lane, different ones where the mask holds; ()
        where lane b holds member b.
      targets: int32[lanes], the member to which a lane's results are written: its member, or no
        member where the mask does not hold; () as for `members`.
      moved: int32[], how many lanes hold a member that moves, where that is known without counting
        the mask; else ().
      owners: int32[lanes], the member whose stacks and buffers a lane uses, in a compacted bucket
        (see `sweep.compaction`); () where `members` says so.
    """

    mask: tf.Tensor
    members: Any = ()
    targets: Any = ()
    moved: Any = ()
    owners: Any = ()

    @property
    def alone(self) -> bool:
        """Whether this is one lane by itself: all its values are without an axis for the batch."""
        return self.mask.shape.rank == 0

    @property
    def size(self) -> int:
        return int(self.mask.shape[0])

    def read(self, values: tf.Tensor) -> tf.Tensor:
        """The lanes' share of `[B, ...]`: `[lanes, ...]`."""
        return tf.gather(values, self.members) if self.gathered else values

    def write(self, target: Target, new: tf.Tensor, old: tf.Tensor) -> tf.Tensor:
        """A register of the whole batch, with the lanes' new values where the mask holds."""
        return self.write_each(target, [new], [old])[0]

    def write_each(
        self,
        target: Target,
        new: Sequence[tf.Tensor],
        old: Sequence[tf.Tensor],
        at_once: int = 1,
    ) -> list[tf.Tensor]:
        """The same for several registers; `at_once`: see `Target.write_rows`."""
        new = [tf.cast(n, o.dtype) for n, o in zip(new, old, strict=True)]
        if not self.gathered:
            return [self._select(n, o) for n, o in zip(new, old, strict=True)]
        wide = [
            n if n.shape.rank == o.shape.rank else tf.broadcast_to(n, [self.size, *o.shape[1:]])
            for n, o in zip(new, old, strict=True)
        ]
        return target.write_rows(old, self.targets, wide, self.known, at_once)

    def _select(self, new: tf.Tensor, old: tf.Tensor) -> tf.Tensor:
        return select(self.mask, new, old) if new.shape.rank else tf.where(self.mask, new, old)

    def rows(self, depth: tf.Tensor, batch_size: int) -> tf.Tensor:
        """int32[lanes]: where a spill area keeps the lanes' rows of a depth, int32[lanes]."""
        return depth * batch_size + self._owners()

    def elements(self, index: tf.Tensor, length: int) -> tf.Tensor:
        """int32[lanes]: where a buffer of `length` keeps the lanes' elements, int32[lanes]."""
        return self._owners() * length + index

    def read_areas(self, values: tf.Tensor) -> tf.Tensor:
        """The lanes' share of areas `[B, ...]`, which are not gathered for a compacted bucket."""
        alike = not self.gathered and not self.is_compacted
        return values if alike else tf.gather(values, self._owners())

    @property
    def known(self) -> tf.Tensor | None:
        """`moved`, or None."""
        return self.moved if tf.is_tensor(self.moved) else None

    @property
    def gathered(self) -> bool:
        """Whether the lanes hold some of the batch only."""
        return tf.is_tensor(self.members)

    @property
    def is_compacted(self) -> bool:
        return tf.is_tensor(self.owners)

    def _owners(self) -> tf.Tensor:
        if self.is_compacted:
            return self.owners
        return self.members if self.gathered else tf.range(self.size)
