import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    for k in tuple(range(2000)):
        x = x + k
    return x


args = (tf.constant([1, 2]),)
