import numpy as np

import pcbatch


def total(xs):
    return xs[0] * xs[-1]


@pcbatch.autobatch
def program(x, n):
    xs = [x]
    for _ in range(n):
        xs.append(xs[-1] * x)
    return pcbatch.grad(total)(xs)[0]


args = (np.array([1.0, 2.0]), np.array([1, 2]))
