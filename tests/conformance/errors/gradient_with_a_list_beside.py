import numpy as np

import pcbatch


def powers(x, n):
    found = [x]
    for _ in range(n):
        found.append(found[-1] * x)
    return found[-1], found


program = pcbatch.value_and_grad(powers, has_aux=True)
args = (np.array([1.0, 2.0]), np.array([1, 2]))
