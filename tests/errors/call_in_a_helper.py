import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def halve(x):
    return x // 2


def helper(x):
    return halve(x) + 1


@pcbatch.autobatch
def program(x):
    return helper(x)


args = (tf.constant([1, 2]),)
