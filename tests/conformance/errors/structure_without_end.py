import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    head = None
    for k in range(x):
        head = (k, head)
    return -1 if head is None else head[0]


args = (tf.constant([1, 2]),)
