"""The gradient of a function that returns None for some members."""

import math

import numpy as np

import pcbatch


def root(x):
    if x < 0:
        return None
    return math.sqrt(x)


program = pcbatch.grad(root)
args = (np.array([-1.0, 4.0]),)
