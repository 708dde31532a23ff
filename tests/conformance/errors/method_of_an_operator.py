import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return x.__add__(3)


args = (tf.constant([1, 2]),)
