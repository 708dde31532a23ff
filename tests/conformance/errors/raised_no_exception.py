import numpy as np

import pcbatch


@pcbatch.autobatch
def program(x):
    limit = 5.0
    if x > limit:
        raise limit
    return x


args = (np.array([1.0, 7.0]),)
