import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return pcbatch.host_call(x, x, result=tf.TensorSpec([], tf.int32))


args = (tf.constant([1, 2]),)
