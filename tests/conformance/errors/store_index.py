import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    buf = pcbatch.buffer(2, like=x)
    buf[x] = x
    return buf


args = (tf.constant([1.0, 2.0]),)
