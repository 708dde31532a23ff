"""A result of which a part is None for some members."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    best = None, 0
    for k in range(n):
        if k % 3 == 2:
            best = 0.5 * k, k
    return best


args = (tf.constant([0, 1, 5]),)
