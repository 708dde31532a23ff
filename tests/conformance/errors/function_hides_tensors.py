import tensorflow as tf

import pcbatch


def adder(x):
    return lambda y: x + y


@pcbatch.autobatch
def program(x):
    add = adder(x)
    return add(1)


args = (tf.constant([1, 2]),)
