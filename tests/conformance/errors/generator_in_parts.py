"""A generator that goes over itself, which sees what the loop over it assigns."""

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    total = 0

    def walk(k):
        if k > 0:
            yield from walk(k // 2)
            yield k + total

    for x in walk(n):
        total += x
    return total


args = (np.array([0, 1, 5]),)
