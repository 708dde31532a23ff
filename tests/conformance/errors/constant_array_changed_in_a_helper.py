import numpy as np

import pcbatch


def count(a):
    a[0] += 1
    return a[0]


@pcbatch.autobatch
def program(x):
    a = np.zeros(3)
    while x < 3:
        x += count(a)
    return x


args = (np.array([1.0, 2.0]),)
