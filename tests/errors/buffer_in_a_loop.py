import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    while x > 0:
        buf = pcbatch.buffer(2, like=x)
        buf[0] = x
        x = buf[0] - 1
    return x


args = (tf.constant([1, 2]),)
