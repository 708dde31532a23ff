import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    items = [x]
    items.append(x + 1)
    return items[-1]


args = (tf.constant([1, 2]),)
