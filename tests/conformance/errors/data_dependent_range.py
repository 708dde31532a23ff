import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    steps = tf.range(n)
    return tf.reduce_sum(steps)


args = (tf.constant([1, 2]),)
