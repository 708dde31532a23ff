import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    y = tf.zeros([2])
    while x > 0:
        y = tf.concat([y, y], 0)
        x -= 1
    return tf.reduce_sum(y)


args = (tf.constant([1, 2]),)
