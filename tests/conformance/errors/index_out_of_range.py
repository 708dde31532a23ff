import numpy as np

import pcbatch


@pcbatch.autobatch
def program(matrix, i, j):
    total = 0.0
    for k in range(2):
        total += matrix[i + k, j]
    return total


args = (np.ones((3, 2, 4), np.float32), np.array([0, 1, 0]), np.array([3, 0, 4]))
