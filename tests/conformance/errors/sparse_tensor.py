import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    sparse = tf.sparse.from_dense(x)
    return tf.sparse.reduce_sum(sparse)


args = (tf.constant([[1, 0], [0, 2]]),)
