import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    buf = pcbatch.buffer(4, like=x)
    buf[1:3] = [x, x]
    return buf


args = (tf.constant([1, 2]),)
