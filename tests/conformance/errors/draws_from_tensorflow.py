import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    while x < 3.0:
        x += tf.random.uniform([])
    return x


args = (tf.constant([1.0, 2.0]),)
