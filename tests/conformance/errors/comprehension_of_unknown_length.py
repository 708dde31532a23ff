import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    return sum([k * k for k in tf.range(n)])


args = (tf.constant([1, 2]),)
