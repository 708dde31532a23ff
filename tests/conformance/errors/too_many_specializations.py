import tensorflow as tf

import pcbatch


@pcbatch.autobatch(static_argnames="n")
def down(x, n):
    if x <= n:
        return x
    return down(x - 1, n - 1)


@pcbatch.autobatch
def program(x):
    return down(x, 0)


args = (tf.constant([1, 2]),)
