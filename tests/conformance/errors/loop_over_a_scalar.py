import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    total = 0
    for y in x:
        total += y
    return total


args = (tf.constant([1, 2]),)
