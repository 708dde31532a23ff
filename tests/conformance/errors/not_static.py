import tensorflow as tf

import pcbatch


@pcbatch.autobatch(static_argnames="n")
def power(x, n):
    return x**n


@pcbatch.autobatch
def program(x):
    return power(x, x)


args = (tf.constant([1, 2]),)
