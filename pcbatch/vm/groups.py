"""Many small blocks, a few at a time.

XLA makes a pass over the lanes for each register that blocks change, and computes in it whatever it
needs of the blocks before: where a member stands depends on all of them. So what is compiled grows
with the square of the number of blocks, and LLVM takes longer still for functions that long. A loop
is where such a chain ends: many blocks are loops of one turn with a few blocks each, which do not
run where no member stands at one of theirs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pcbatch.backend.tuning import Tuning
from pcbatch.vm.block_info import BlockInfo

T = TypeVar("T")


def length(codes: Iterable[BlockInfo]) -> int:
    """How much there is to compile in some blocks together."""
    return sum(code.length for code in codes)


def too_long(codes: Iterable[BlockInfo], tuning: Tuning) -> bool:
    """Whether blocks are too long to be compiled together."""
    return length(codes) > tuning.longest_kernel


def groups(
    codes: Sequence[BlockInfo], tuning: Tuning, outlined: Sequence[BlockInfo] = ()
) -> list[tuple[BlockInfo, ...]]:
    """Cut the blocks of a sweep into those that are compiled together.

    Args:
      codes: the blocks, in order; a loop of one block may be there several times in a row.
      tuning: the numbers of the target.
      outlined: those that are loops of their own anyway.

    Returns:
      The groups, in order. There is only one where the blocks are few.
    """
    if not too_long([code for code in codes if code not in outlined], tuning):
        return [tuple(codes)]
    found = list[tuple[BlockInfo, ...]]()
    for alone, run in itertools.groupby(codes, lambda code: code in outlined):
        several = tuple(run)
        found += [several] if alone else _cut(several, tuning)
    return found


def _cut(codes: tuple[BlockInfo, ...], tuning: Tuning) -> list[tuple[BlockInfo, ...]]:
    """Cut blocks into groups of about the same length; repetitions of a block stay together."""
    several = [tuple(run) for _, run in itertools.groupby(codes, lambda code: code.index)]
    cut = parts(several, length, tuning.group)
    return [tuple(itertools.chain.from_iterable(part)) for part in cut]


def parts(items: Sequence[T], size: Callable[[T], int], longest: int) -> list[tuple[T, ...]]:
    """Cut a sequence into as few parts as may be about so long, all of about the same length.

    Args:
      items: in order.
      size: of an item.
      longest: the length of a part, from which it may differ by an item's size.
    """
    ends = [*itertools.accumulate(map(size, items))]
    number = -(-ends[-1] // longest)
    places = [(end - 1) * number // ends[-1] for end in ends]
    together = itertools.groupby(zip(places, items, strict=True), lambda pair: pair[0])
    return [tuple(item for _, item in run) for _, run in together]
