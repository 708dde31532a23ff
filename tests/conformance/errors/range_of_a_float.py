import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    total = x
    for i in range(x):
        total += i
    return total


args = (tf.constant([1.5, 2.0]),)
