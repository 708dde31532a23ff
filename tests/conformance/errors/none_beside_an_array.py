"""A variable that is None on one path and an array on another."""

import numpy as np
import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    best = None
    for k in range(n):
        if k % 3 == 2:
            best = np.array([k, 2.0])
    return 0.0 if best is None else best[0]


args = (tf.constant([0, 1, 5]),)
