import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def volume(x):
    factors, _ = tf.linalg.lu(tf.eye(2) * x)
    return tf.reduce_prod(tf.linalg.diag_part(factors))


program = pcbatch.grad(volume)
args = (tf.constant([1.0, 2.0]),)
