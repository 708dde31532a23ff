import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    text = tf.strings.as_string(x)
    return tf.strings.length(text)


args = (tf.constant([1, 2]),)
