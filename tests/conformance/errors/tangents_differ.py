import numpy as np

import pcbatch


def power(x, n):
    return x**n


@pcbatch.autobatch
def program(x, n):
    return pcbatch.jvp(power, (x, n), (1.0,))[1]


args = (np.array([1.0, 2.0]), np.array([3, 1]))
