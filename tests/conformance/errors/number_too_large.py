import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    return n + 300


args = (np.array([1, 200], np.uint8),)
