import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(
    x,
    scale,
):
    return scale * x


args = (tf.constant([1.0, 2.0]), tf.constant(3.0))
