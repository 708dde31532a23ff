import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    try:
        x += 12 // x
    except ZeroDivisionError as error:
        x -= 1
    return x, error


args = (tf.constant([0, 3]),)
