import numpy as np

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 1.0:
        return x
    return pcbatch.grad(program)(x + 1.0)


args = (np.array([1.0, 2.0]),)
