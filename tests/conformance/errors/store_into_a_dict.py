import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    table = {"q": x}
    table[x] = x + 1
    return table["q"]


args = (tf.constant([1, 2]),)
