import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    return len("ab" * n)


args = (tf.constant([3, 12]),)
