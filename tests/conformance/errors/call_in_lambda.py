import tensorflow as tf

import pcbatch

stage = "lower"


@pcbatch.autobatch
def square(x):
    return x * x


def program(xs):
    return tf.map_fn(lambda x: square(x), xs)
