import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    items = [x, x + 1]
    items[0] = (x, x)
    return items[1]


args = (tf.constant([1, 2]),)
