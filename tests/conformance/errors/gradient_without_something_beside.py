import numpy as np

import pcbatch


def square(x):
    return x * x


@pcbatch.autobatch
def program(x):
    slope, _ = pcbatch.grad(square, has_aux=True)(x)
    return slope


args = (np.array([1.0, 2.0]),)
