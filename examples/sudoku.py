"""Sudoku by trial and error: `python examples/sudoku.py [picture.png]`."""

import sys

import numpy as np

import pcbatch


def groups(k):
    """The row, the column and the box of a cell, numbered from 0 to 26."""
    return k // 9, 9 + k % 9, 18 + k // 27 * 3 + k % 9 // 3


@pcbatch.autobatch
def solve(puzzle):
    """The solved puzzle, int[81], and how many cells were tried; 0 is an empty cell."""
    cells, used = [0] * 81, [0] * 27  # bit d of a group: the digit d is in it
    for k in range(81):
        if puzzle[k] > 0:
            cells[k] = puzzle[k]
            for group in groups(k):
                used[group] |= 1 << puzzle[k]
    k, tried, forward = 0, 0, True
    while k < 81:
        if puzzle[k] == 0:
            row, column, box = groups(k)
            digit = cells[k]
            if digit > 0:  # it led to nothing
                for group in groups(k):
                    used[group] ^= 1 << digit
            digit += 1
            while digit < 10 and (used[row] | used[column] | used[box]) & 1 << digit:
                digit += 1
            tried, forward = tried + 1, digit < 10
            cells[k] = digit if forward else 0
            if forward:
                for group in groups(k):
                    used[group] |= 1 << digit
        k += 1 if forward else -1
    return cells, tried


def inputs(members):
    """Puzzles with 32 empty cells: a solved one with its digits and rows exchanged."""
    random, cell = np.random.default_rng(0), np.arange(9)
    solved = (cell[:, None] * 3 + cell[:, None] // 3 + cell) % 9
    puzzles = []
    for _ in range(members):
        rows = np.concatenate([3 * b + random.permutation(3) for b in random.permutation(3)])
        puzzle = (random.permutation(9) + 1)[solved[rows]].reshape(81)
        puzzle[random.permutation(81)[:32]] = 0
        puzzles.append(puzzle)
    return (np.array(puzzles, np.int32),)


def draw(batch, result, path):
    """How many cells the puzzles take."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.hist(np.log10(result[1]), bins=40, color="tab:blue")
    axes.set(xlabel="log10 of the cells tried", ylabel="puzzles", yscale="log")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(1000)
    result = solve(*batch)
    print(np.stack(result[0], 1)[0].reshape(9, 9))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
