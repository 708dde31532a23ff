import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def twice(x, by):
    return x * by


@pcbatch.autobatch
def program(x):
    return twice(x, 2, 3)


args = (tf.constant([1, 2]),)
