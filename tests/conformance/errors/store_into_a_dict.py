import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    table = {"q": x}
    table["q"] = x + 1
    return table


args = (tf.constant([1, 2]),)
