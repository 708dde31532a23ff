import tensorflow as tf

import pcbatch


def total(n):
    return tf.where(n <= 0, 0, n + total(n - 1))


@pcbatch.autobatch
def program(n):
    return total(n)


args = (tf.constant([1, 2]),)
