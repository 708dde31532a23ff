import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    positive = tf.boolean_mask(x, x > 0)
    return tf.reduce_sum(positive)


args = (tf.constant([[1, 2], [3, -4]]),)
