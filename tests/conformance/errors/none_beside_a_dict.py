"""A variable that is None on one path and a dict on another."""

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    seen = None
    for k in range(n):
        if k % 3 == 2:
            seen = {k: n}
    return 0 if seen is None else seen[2]


args = (np.array([0, 1, 5]),)
