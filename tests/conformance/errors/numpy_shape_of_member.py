"""A shape of the member, where it is the same for all members."""

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(v, n):
    return np.tile(v, n)


args = (np.ones((2, 3)), np.array([2, 3]))
