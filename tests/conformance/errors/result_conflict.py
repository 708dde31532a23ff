import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 0:
        return x, x
    return x


args = (tf.constant([1, -1]),)
