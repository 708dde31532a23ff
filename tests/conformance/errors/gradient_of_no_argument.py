import numpy as np

import pcbatch


def square(x):
    return x * x


program = pcbatch.grad(square, argnums=1)
args = (np.array([1.0, 2.0]),)
