import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    a, b = pcbatch.buffer(2, like=n), pcbatch.buffer(3, like=n)
    while n > 0:
        a, b = b, a
        n -= 1
    return a[0]


args = (tf.constant([1, 2]),)
