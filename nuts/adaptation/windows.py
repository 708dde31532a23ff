"""The plan of warmup: windows, and the pieces in which each is run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Window(NamedTuple):
    """A stretch of warmup.

    Attributes:
      pieces: how many draws each chain makes in each of its pieces. The step size is updated after
        every piece.
      learns_metric: whether the metric is estimated from its draws and replaced at its end.
      searching: whether some chains may still be on the way to the posterior.
      moves: whether chains that are stranded then are moved at its end.
    """

    pieces: tuple[int, ...]
    learns_metric: bool
    searching: bool
    moves: bool = False


def schedule(num_warmup: int, num_pooled: int) -> tuple[Window, ...]:
    """Plan the warmup.

        |  fast  | slow | slow   | slow        | ... slow, the rest   |   fast    |
        step size  step size and metric, each twice as long             step size

    These are Stan's windows (reference manual, "HMC algorithm parameters"): a fast one to find the
    bulk of the posterior, slow ones that double in length and each forget what was learned before,
    and a fast one for the step size that belongs to the last metric. One chain has Stan's lengths.
    In a pool of chains a window sees many draws at once, and the slow ones begin at once and short.
    Chains of a pool have step sizes of their own until the last slow window, about half of the
    warmup, and those that have not arrived then keep theirs. At the end of either of the last two
    slow windows those that are stranded are moved.

    Args:
      num_warmup: the number of draws.
      num_pooled: the number of chains that share their statistics.

    Returns:
      The windows, whose pieces sum to `num_warmup`. Below 20 draws there are no slow ones.
    """
    if num_warmup < 20:
        first, shortest, last = num_warmup, 1, 0
    elif num_pooled > 1:
        shortest = max(5, 25 // num_pooled)
        first, last = min(10, num_warmup // 4), min(50, num_warmup // 4)
    elif num_warmup >= 150:
        first, shortest, last = 75, 25, 50
    else:
        first, shortest, last = int(0.15 * num_warmup), num_warmup, int(0.1 * num_warmup)
    lengths = _doubling(num_warmup - first - last, shortest)
    windows = [Window(_pieces(first), False, True)]
    ends = np.cumsum(lengths)
    windows += [
        Window(_pieces(length), True, bool(end < ends[-1]), end in ends[-2:])
        for length, end in zip(lengths, ends, strict=True)
    ]
    windows += [Window(_pieces(last), False, False)]
    return tuple(window for window in windows if window.pieces)


def _doubling(total: int, length: int) -> list[int]:
    """Lengths that double and sum to `total`; the last is longer where a next would not fit."""
    lengths = []
    while total:
        if total < 3 * length:
            length = total
        lengths.append(length)
        total -= length
        length *= 2
    return lengths


def _pieces(draws: int) -> tuple[int, ...]:
    """Cut a window so that the step size is updated four times at least, if it can be.

    No piece is longer than ten draws. Chains wait for each other at the end of a piece, so that
    pieces of one draw would waste much of the batch.
    """
    size = min(max(draws // 4, 1), 10)
    whole, rest = divmod(draws, size)
    return (size,) * whole + ((rest,) if rest else ())
