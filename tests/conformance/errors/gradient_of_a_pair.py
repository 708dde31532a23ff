import numpy as np

import pcbatch


def both(x, n):
    return x * x, x * n


program = pcbatch.grad(both)
args = (np.array([1.0, 2.0]), np.array([1, 2]))
