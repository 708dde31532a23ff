"""The optimizations of the sweep, by name. Each can be left out; the switch has none of them."""

from __future__ import annotations

import enum
from typing import Self


class Optimization(enum.StrEnum):
    """A name that `without=` takes.

    Attributes:
      purpose: what it does, in a sentence.
    """

    purpose: str

    def __new__(cls, name: str, purpose: str) -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.purpose = purpose
        return member

    ORDER = (
        "order",
        "a turn goes through the blocks in an order with few ways back, not in flow order",
    )
    ROUNDS = (
        "rounds",
        "small blocks run until no member stands at one, not once a turn",
    )
    REPETITION = (
        "repetition",
        "a loop of one small block runs several times in a row",
    )
    BUCKETS = (
        "buckets",
        "large blocks run on members that wait for them, not under masks for all",
    )
    WAITING = (
        "waiting",
        "a dominant block runs when all members that can have come to it, not in every turn",
    )
    BUCKET_SIZES = (
        "bucket sizes",
        "a dominant block has smaller buckets for the last members",
    )
    CACHES = (
        "caches",
        "shards and buckets of dominant blocks are not larger than the processor's caches",
    )
    PRETRANSPOSED = (
        "pre-transposed operands",
        "shared matrices are transposed where products are faster for it",
    )
    BATCH_LAST = (
        "batch-last layout",
        "with wide vectors products with large shared matrices have members last",
    )
    OUTLINING = (
        "outlining",
        "on a CPU parts of the loop are one kernel of XLA each, as compaction needs, too",
    )
    OUTLINED_BLOCKS = (
        "outlined blocks",
        "in a kernel of small blocks those that compute most are loops of their own",
    )
    FUSED_PASS = (
        "fused pass",
        "rounds of blocks that need single numbers only are one pass over the lanes",
    )
    COMPACTION = (
        "compaction",
        "programs of small blocks run in buckets that stay together",
    )
