import numpy as np

import pcbatch


def scaled(v):
    w = v
    w /= 2
    return v.sum()


@pcbatch.autobatch
def program(v):
    return scaled(v)


args = (np.array([[1.0, 2.0], [3.0, 4.0]]),)
