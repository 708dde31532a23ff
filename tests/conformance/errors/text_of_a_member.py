import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return len(str(x))


args = (tf.constant([[3.0], [12.5]]),)
