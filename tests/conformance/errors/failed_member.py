import tensorflow as tf

import pcbatch


@pcbatch.autobatch(strategy="local")
def program(x):
    assert x > 0, "x must be positive"
    return x


args = (tf.constant([1, -1]),)
