"""Tic-tac-toe, searched to the end by alpha-beta: `python examples/alpha_beta.py [picture.png]`."""

import sys

import numpy as np

import pcbatch

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""Three fields in a line, as bits of the nine fields."""


@pcbatch.autobatch
def best(mine, yours):
    """The outcome for who is to move (1, 0 or -1), and how many positions were looked at.

    Both are bits: field k belongs to a player if bit k is set.
    """
    return search(mine, yours, -1, 1)


@pcbatch.autobatch
def search(mine, yours, alpha, beta):
    for line in LINES:
        if yours & line == line:
            return -1, 1
    seen = 1
    if mine | yours == 0o777:
        return 0, seen
    for field in range(9):
        move = 1 << field
        if (mine | yours) & move == 0:
            value, below = search(yours, mine | move, -beta, -alpha)
            seen += below
            alpha = max(alpha, -value)
            if alpha >= beta:
                break
    return alpha, seen


def inputs(members):
    """Positions after some random moves."""
    random = np.random.default_rng(0)
    positions = []
    for k in range(members):
        moves = random.permutation(9)[: 2 + k % 5]
        positions.append(
            [sum(1 << int(m) for m in moves[s::2]) for s in (len(moves) % 2, 1 - len(moves) % 2)]
        )
    mine, yours = np.array(positions, np.int32).T
    return mine, yours


def draw(batch, result, path):
    """How many positions the search looks at, by the moves made before."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    made = [bin(m | y).count("1") for m, y in zip(*batch, strict=True)]
    jitter = np.random.default_rng(0).uniform(-0.3, 0.3, len(made))
    dots = axes.scatter(made + jitter, result[1], c=result[0], cmap="coolwarm", s=4)
    axes.set(xlabel="moves made before", ylabel="positions looked at", yscale="log")
    figure.colorbar(dots, label="outcome for who is to move")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    batch = inputs(2000)
    result = best(*batch)
    print(np.bincount(result[0] + 1))
    if sys.argv[1:]:
        draw(batch, result, sys.argv[1])
