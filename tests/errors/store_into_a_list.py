import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    pair = [x, x]
    pair[0] = x + 1
    return pair[0]


args = (tf.constant([1, 2]),)
