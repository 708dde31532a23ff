import numpy as np

import pcbatch


def cube(x):
    return x * x * x


@pcbatch.autobatch
def program(x):
    return pcbatch.grad(cube)(2) + x


args = (np.array([1.0, 2.0]),)
