import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    return len((7,) * n)


args = (tf.constant([3, 12]),)
