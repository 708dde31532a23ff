import numpy as np

import pcbatch


@pcbatch.autobatch(checks="overflow")
def program(n):
    product = n
    for k in range(2, 9):
        product = product * k
    return product


args = (np.array([1, 1000, 1_000_000], np.int32),)
