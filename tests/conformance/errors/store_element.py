import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    buf = pcbatch.buffer(2, like=x)
    buf[0] = tf.stack([x, x])
    return buf


args = (tf.constant([1, 2]),)
