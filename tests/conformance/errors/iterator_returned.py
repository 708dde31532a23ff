"""An `__iter__` that makes elements one by one, in a loop that ends early."""

import numpy as np

import pcbatch


class Shares:
    def __init__(self, n):
        self.parts = [k for k in range(n)]

    def __iter__(self):
        return (12 // part for part in self.parts)


@pcbatch.autobatch
def program(n):
    total = 0
    for share in Shares(n):
        if share > 5:
            break
        total += share
    return total


args = (np.array([0, 1, 5]),)
