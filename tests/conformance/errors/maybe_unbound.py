import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 0:
        y = x
    return y


args = (tf.constant([1, -1]),)
