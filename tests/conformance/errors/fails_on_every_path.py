import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    pair = (x, 1.0)
    if x > 1.0:
        return pair[2]
    return pair[3]


args = (tf.constant([1.0, 2.0]),)
