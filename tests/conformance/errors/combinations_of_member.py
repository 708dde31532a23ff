"""Selections from as many elements as the member has."""

import itertools

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    total = 0
    for i, j, k in itertools.combinations(range(n), 3):
        total += i * j * k
    return total


args = (np.array([3, 4]),)
