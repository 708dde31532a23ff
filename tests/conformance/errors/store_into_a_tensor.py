import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    y = tf.stack([x, x])
    y[0] = 1
    return y


args = (tf.constant([1, 2]),)
