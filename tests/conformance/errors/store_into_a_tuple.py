import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    pair = (n, 2)
    pair[0] = 1
    return pair


args = (tf.constant([1, 2]),)
