import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 0:
        state = (x, x)
    else:
        state = (x, (x, x))
    return state[0]


args = (tf.constant([1, 2]),)
