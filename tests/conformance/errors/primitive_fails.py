import tensorflow as tf

import pcbatch

TABLE = {"a": 1}


@pcbatch.autobatch
def program(x):
    return x + TABLE["b"]


args = (tf.constant([1, 2]),)
