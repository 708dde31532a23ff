import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return sorted((x, -x), key=lambda y: y**0.5 if y > 0 else 0.0)[0]


args = (tf.constant([1, 2]),)
