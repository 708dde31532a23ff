import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    return len(b"ab" * n)


args = (tf.constant([3, 12]),)
