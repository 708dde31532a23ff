"""Arrays with a shape of the member."""

from __future__ import annotations

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def alignment(n, m):
    """A table of costs, filled row by row."""
    costs = np.zeros((n + 1, m + 1), dtype=int)
    costs[:, 0] = np.arange(n + 1)
    costs[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            other = 0 if i * 7 % 5 == j * 3 % 4 else 1
            costs[i, j] = min(costs[i - 1, j] + 1, costs[i][j - 1] + 1, costs[i - 1, j - 1] + other)
    return int(costs[n, m]), int(costs.max(axis=0).sum())


@pcbatch.autobatch
def smoothed(n, rounds):
    """A line whose points become the means of their neighbours, in rounds of the member."""
    u = np.zeros(n + 2)
    u[n // 2] = 64.0
    for _ in range(rounds):
        u[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    high = u[u > 4]
    return float(u.sum()), len(high), int(u.argmax())


def row_of(n):
    """A row of Pascal's triangle, an array of its own."""
    if n == 0:
        return np.ones(n + 1, dtype=int)
    above = row_of(n - 1)
    row = np.zeros(n + 1, dtype=int)
    row[:-1] += above
    row[1:] += above
    return row


@pcbatch.autobatch
def pascal(n):
    """Arrays that a recursion makes and gives back."""
    row = row_of(n)
    return int(row.sum()), int(row.max()), int(row @ row)


@pcbatch.autobatch
def torus(n, rounds):
    """A board with as many squares as the member says, whose sides meet: the game of life."""
    rows, cols = np.indices((n + 2, n + 3))
    board = ((rows * rows + 3 * cols * rows + n * cols) % 5 < 2).astype(int)
    for _ in range(rounds):
        around = np.zeros_like(board)
        for i, j in np.ndindex(3, 3):
            around = around + np.roll(board, (i - 1, j - 1), axis=(0, 1))
        board = ((around == 3) | ((board == 1) & (around == 4))).astype(int)
    x, y = np.meshgrid(np.arange(n), np.arange(n + 1))
    return int(board.sum()), int((x * y).sum()), sum(int(r * c) for r, c in np.argwhere(board))


PROGRAMS = (
    Program(
        "alignment",
        alignment,
        (ints(0, 1, 3, 5, 2, 7, 4, 6), ints(2, 0, 3, 1, 6, 5, 4, 2)),
        tags=("xla",),
    ),
    Program("smoothed", smoothed, (ints(1, 2, 3, 9, 5, 7, 4, 6), ints(2, 0, 3, 1, 6, 5, 4, 2))),
    Program("torus", torus, (ints(1, 2, 3, 6, 5, 7, 4, 8), ints(2, 0, 3, 1, 6, 5, 4, 2))),
    Program("pascal", pascal, (ints(0, 1, 2, 3, 4, 5, 6, 7),)),
)
