import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    total = 0
    for x in {n, n // 2, 1}:
        total = 2 * total + x
    return total


args = (tf.constant([0, 1, 5]),)
