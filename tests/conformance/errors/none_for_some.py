"""What is None for some members is handed to a call of the host."""

import numpy as np
import tensorflow as tf

import pcbatch


def square(x):
    return x * x


@pcbatch.autobatch
def program(n):
    best = None
    for k in range(n):
        if k % 3 == 2:
            best = k
    return pcbatch.host_call(square, best, result=tf.TensorSpec([], tf.int64))


args = (np.array([0, 1, 5]),)
