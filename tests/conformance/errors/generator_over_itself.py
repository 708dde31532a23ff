"""A generator that goes over itself."""

import numpy as np

import pcbatch


def walk(n):
    if n > 0:
        yield from walk(n // 2)
        yield n


@pcbatch.autobatch
def program(n):
    return sum(walk(n))


args = (np.array([0, 1, 5]),)
