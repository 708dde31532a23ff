"""How many lanes the buckets of a dominant block have."""

from __future__ import annotations

import math

from pcbatch.backend import processor
from pcbatch.vectorizer.matmul import batch_last
from pcbatch.vm.block_info import BlockInfo
from pcbatch.vm.context import Context
from pcbatch.vm.optimizations import Optimization

FEWEST, MOST_BUCKETS = 6, 64
"""The smallest bucket of a dominant block has at least so many lanes, and about so small a share of
the batch."""
MOST_WORK = 2.5e8
"""On this machine's processors a bucket of a dominant block does not need more operations and moves
than so many: what it computes on the way should stay in their caches."""
FEW, WORK_OF_FEW = 100, 1e8
"""Where those are fewer lanes than so many, it takes so many operations: without wide vectors
products of a few rows take no longer for each (see `vectorizer.pretransposed`), and caches nearer
to a core hold the rest."""
TILE = 10
"""And has a multiple of so many lanes: matrix products are computed by tiles of a few rows."""
STEP = 8
"""Each bucket of a dominant block is so many times as large as the one before."""
MOST_IN_COLUMNS, WORK_IN_COLUMNS = 96, 5e8
"""Where products have members in columns (see `matmul.batch_last`) the largest bucket has at most
so many lanes, and as many as do so many operations and moves."""


def sizes_for(code: BlockInfo, context: Context) -> tuple[tuple[int, ...], bool]:
    """The buckets of a dominant block.

    Args:
      code: the block.
      context: the program.

    Returns:
      Their lanes, the largest first; whether those that the largest leave over wait for the next
      turn.
    """
    if code.takes_batch:
        return (context.batch_size,), False
    # No kernels: not for these processors.
    whole = context.kernels is None or Optimization.CACHES in context.without
    cost = 0.0 if whole else code.cost
    large = context.forms.batch_last and code.profile.matrix >= batch_last.LEAST
    if large and context.batch_size >= batch_last.VECTOR:
        most = lanes_last(cost, context.batch_size)
        return (most, batch_last.HALF), most < context.batch_size
    return bucket_sizes(most_lanes(cost, context.batch_size)), False


def lanes_last(cost: float, batch_size: int) -> int:
    """The lanes of the largest bucket of a block with products that have members in columns.

    Args:
      cost: of the block for one member; 0 if a bucket may be as large as the batch.
      batch_size: B, at least `columns.VECTOR`.

    Returns:
      A multiple of that, at most B.
    """
    wanted = min(MOST_IN_COLUMNS, WORK_IN_COLUMNS / cost) if cost else math.inf
    vectors = min(wanted / batch_last.VECTOR, batch_size // batch_last.VECTOR)
    return batch_last.VECTOR * max(1, round(vectors))


def most_lanes(cost: float, batch_size: int) -> int:
    """The lanes of a dominant block's largest bucket: the whole batch, or about an equal part.

    Args:
      cost: of the block for one member; 0 if it may be as large as the batch.
      batch_size: B.
    """
    wanted = MOST_WORK / cost if cost else math.inf
    if wanted < FEW and not processor.has_wide_vectors():
        wanted = WORK_OF_FEW / cost
    least, most = 0.8 * wanted, 1.25 * wanted
    if batch_size <= most:
        return batch_size
    tiles = range(max(1, math.ceil(least / TILE)), max(1, int(most / TILE)) + 1)
    lanes = sorted((n * TILE for n in tiles), key=lambda n: abs(n - wanted))
    return min(min(lanes, key=lambda n: -batch_size % n), batch_size)


def bucket_sizes(most: int) -> tuple[int, ...]:
    """The lanes of the buckets of a dominant block, the largest first.

    The smallest bucket divides the largest, or nearly, as its executions are what is counted.
    """
    fewest = max(FEWEST, -(-most // MOST_BUCKETS))
    lanes = min(range(2 * fewest - 1, fewest - 1, -1), key=lambda m: -most % m)
    sizes = []
    while 2 * lanes <= most:
        sizes.append(lanes)
        lanes *= STEP
    return (most, *sizes[::-1])
