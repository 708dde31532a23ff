import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return sorted((x, -x), key=lambda y: (y, 1) if y > 0 else (y,))[0]


args = (tf.constant([1, 2]),)
