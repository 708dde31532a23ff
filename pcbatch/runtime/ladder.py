"""The sizes of batch for which programs are compiled.

A batch runs in the program of the next size on a ladder, and the lanes left over are empty: their
members have ended before the first step. So a user who tries 10, 11 and 12 members compiles once.

The rung depends on the batch and the program alone, not on what was compiled before: the same call
runs the same program in every process.
"""

from __future__ import annotations

import tensorflow as tf

from pcbatch.backend.target import this_machine
from pcbatch.runtime.options import RunOptions
from pcbatch.vm.block_info import Prepared

COARSE, FINE = 2, 8
"""How many rungs there are from one power of two to the next. Of the fine rungs at most one lane in
nine is empty."""


def lanes(batch_size: int, program: Prepared, options: RunOptions) -> int:
    """How many lanes the loop of a batch, or of one of its shards, has.

    Only a run that XLA compiles for itself has empty lanes. A function of the whole batch would see
    them, and what is compiled within a graph is compiled with it. A batch that takes much memory
    would take more.

    Args:
      batch_size: the members, at least 1.
      program: what runs.
      options: how.
    """
    tuning = this_machine().tuning
    large = program.register_bytes * batch_size > tuning.padded_bytes
    exact = not (options.pad and options.jit) or program.takes_batch or tf.inside_function()
    return batch_size if exact or large else rung(batch_size, program.cost, tuning.padded)


def rung(batch_size: int, cost: float, most: float) -> int:
    """The least size on the ladder that is no smaller than a batch.

    While a batch does little, empty lanes cost nothing, and the rungs are far apart: 4, 6, 8, 12,
    16, 24. Then they are near each other, and round numbers are rungs, too: 1,000, 1,024, 1,152.

    Args:
      batch_size: the members, at least 1.
      cost: of a member.
      most: a batch does little if all lanes together cost no more.
    """
    coarse = _next(batch_size, COARSE)
    if coarse * cost <= most:
        return coarse
    return min(_next(batch_size, FINE), _round_up(batch_size, 10 ** (len(str(batch_size)) - 1)))


def _next(size: int, steps: int) -> int:
    """The next of the numbers that cut each octave into equal steps."""
    octave = 1 << (size.bit_length() - 1)
    return _round_up(size, max(1, octave // steps))


def _round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit
