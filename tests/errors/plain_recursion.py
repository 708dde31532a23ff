import tensorflow as tf

import pcbatch


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@pcbatch.autobatch
def program(n):
    return factorial(n)


args = (tf.constant([1, 2]),)
