"""Lists of the members that wait for a block, of which buckets are made."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from pcbatch.backend import bitset
from pcbatch.backend.private import xla_operations
from pcbatch.backend.target import Target
from pcbatch.vm.lanes import Lanes


class Waiting(NamedTuple):
    """A list of members.

    Attributes:
      members: int32[at least B + 1]; what comes behind the last of them is of no interest.
      number: int32[], how many they are.
    """

    members: tf.Tensor
    number: tf.Tensor


def listed(target: Target, mask: tf.Tensor, turn: tf.Tensor, room: int = 1) -> Waiting:
    """The members of a mask in their order, from one on that changes from turn to turn.

    Args:
      target: the compiler and the processor.
      mask: bool[B].
      turn: int64[].
      room: how many elements to have behind the last at least.
    """
    batch_size = int(mask.shape[0])
    words = bitset.packed(mask)
    count, rank = bitset.number(words), bitset.ranks(words, batch_size)
    start = tf.cast(turn % batch_size, tf.int32)
    # The first member from there on goes first.
    rank -= rank[start]
    rank = tf.where(rank < 0, rank + count, rank)
    place = tf.where(mask, rank, batch_size)
    no_member = tf.zeros([batch_size + room], tf.int32)
    (members,) = target.write_rows([no_member], place, [tf.range(batch_size)], batch_size)
    return Waiting(members, count)


def bucket(waiting: Waiting, first: tf.Tensor, size: int, batch_size: int) -> Lanes:
    """Gather some members of a list, or those that are left if there are fewer.

    Args:
      waiting: the list, with room for `size` elements behind the last.
      first: int32[], how many come before.
      size: the number of lanes.
      batch_size: B.
    """
    members = xla_operations.dynamic_slice(waiting.members, first[tf.newaxis], [size])
    left = waiting.number - first
    moves = tf.range(size) < left
    targets = tf.where(moves, members, batch_size)
    return Lanes(moves, members, targets, tf.minimum(left, size))
