"""A text that is another one for some members is returned."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    if n < 3:
        return "low"
    return "high"


args = (tf.constant([0, 1, 5]),)
