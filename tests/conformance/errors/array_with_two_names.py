import numpy as np

import pcbatch


@pcbatch.autobatch
def program(x):
    start = np.zeros(3)
    y = start
    for _ in range(2):
        y += x
    return y - start


args = (np.array([1.0, 2.0]),)
