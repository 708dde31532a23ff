import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    seen = pcbatch.buffer(4, like=False)
    while n > 0:
        seen[n % 8] = True
        n = n // 8
    return seen


args = (np.array([1, 17, 44]),)
