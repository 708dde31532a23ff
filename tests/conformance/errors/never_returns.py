import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return program(x + 1)


args = (tf.constant([1, 2]),)
