"""Plain Python inside the program: host calls that the run stops for."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import pcbatch
from tests.conformance.programs.record import Program, ints

SCALAR = tf.TensorSpec([], tf.int32)


def next_number(n, step):
    """A rule that nobody would write in TensorFlow: it works on decimal digits."""
    return np.array([int(str(int(a))[::-1]) + int(s) for a, s in zip(n, step)], np.int32)


@pcbatch.autobatch
def reverse_and_add(n, times):
    """A loop whose body is a host call; the members make different numbers of calls."""
    total = n
    while times > 0:
        n = pcbatch.host_call(next_number, n, 1, result=SCALAR) % 100_000
        total += n
        times -= 1
    return total, n


def moves(state, player):
    """The simulator of a game: two successors and a score per state."""
    left = (3 * state + player + 1) % 97
    right = (5 * state + 2 * player + 2) % 89
    score = np.where(state % 7 == 3, 1, np.where(state % 11 == 5, -1, 0))
    return {"left": left, "right": right, "score": score.astype(np.int32)}


MOVES = {"left": SCALAR, "right": SCALAR, "score": SCALAR}


@pcbatch.autobatch
def best_outcome(state, player, depth):
    """A tree search over a game that only plain Python can play."""
    after = pcbatch.host_call(moves, state, player=player, result=MOVES)
    if after["score"] != 0 or depth == 0:
        return after["score"] * (depth + 1)
    left = best_outcome(after["left"], 1 - player, depth - 1)
    if player == 0 and left > 0:
        return left
    right = best_outcome(after["right"], 1 - player, depth - 1)
    return max(left, right) if player == 0 else min(left, right)


def first_sums(rows, tables, upto):
    sums = [row[:k].sum() + table.sum() for row, table, k in zip(rows, tables, upto)]
    return np.array(sums, np.int32)


@pcbatch.autobatch(in_axes=(0, None))
def filled_then_summed(n, table):
    """A host call sees what was stored in a buffer before it, and not what is stored after."""
    row = pcbatch.buffer(6, like=n)
    for i in range(n):
        row[i] = i * i
    before = pcbatch.host_call(first_sums, row, table, n, result=SCALAR)
    row[0] = 100
    return before, pcbatch.host_call(first_sums, row, table, n + 1, result=SCALAR)


PROGRAMS = (
    Program(
        "reverse_and_add", reverse_and_add, (ints(1, 12, 57, 91, 3, 20, 88, 5), ints(*range(8)))
    ),
    Program(
        "best_outcome",
        best_outcome,
        (ints(*range(0, 90, 9)), ints(*[0, 1] * 5), ints(3, 2, 4, 0, 1, 3, 2, 4, 3, 2)),
        tags=("xla",),
    ),
    Program(
        "filled_then_summed",
        filled_then_summed,
        (ints(*range(1, 6), 5, 4, 3), ints(1, 2, 3)),
        in_axes=(0, None),
        plain="tensor",
    ),
)
