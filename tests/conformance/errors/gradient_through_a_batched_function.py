import numpy as np
import tensorflow as tf

import pcbatch

weights = tf.Variable(np.eye(3))


def scaled(x):
    return tf.linalg.matvec(weights, x)


@pcbatch.autobatch
def norm(x):
    return tf.reduce_sum(pcbatch.batched(scaled)(x) ** 2)


def program(x):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(norm(x))
    return tape.gradient(total, weights)


args = (np.ones([2, 3]),)
