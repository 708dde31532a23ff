import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    items = [x, "none"]
    items[0] = x + 1
    return items[0]


args = (tf.constant([1, 2]),)
