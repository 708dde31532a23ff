import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 0:
        return 1
    return 0


args = (tf.constant([[1, -1]]),)
