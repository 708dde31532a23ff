import tensorflow as tf

import pcbatch


def as_matrix(v):
    return tf.reshape(v, [2, 2])


def trace(v):
    return tf.linalg.trace(as_matrix(v))


@pcbatch.autobatch
def program(v, scale):
    return scale * trace(v)


args = (tf.constant([[1.0, 2.0, 3.0]]), tf.constant([2.0]))
