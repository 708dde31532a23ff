import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    a, b, c = tf.stack([x, x])
    return a + b + c


args = (tf.constant([1, 2]),)
