import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    if n > 3:
        return -1
    return n


args = (np.array([1, 200], np.uint64),)
