import numpy as np

import pcbatch


@pcbatch.autobatch
def moved(v, x):
    v += x
    return v


@pcbatch.autobatch
def program(v, x):
    new = moved(v, x)
    return new - v


args = (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 2.0]))
