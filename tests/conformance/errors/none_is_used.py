import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    best = None
    if n > 2:
        best = n
    return tf.abs(best)


args = (tf.constant([0, 1, 5]),)
