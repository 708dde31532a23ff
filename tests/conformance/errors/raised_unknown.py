import numpy as np

import pcbatch


def failure(x):
    return ValueError(f"{x} is negative")


@pcbatch.autobatch
def program(x):
    if x < 0:
        raise failure(x)
    return x


args = (np.array([1.0, -2.0]),)
