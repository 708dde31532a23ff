import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    table = {"q": x, "p": 2 * x}
    del table["q"]
    return table["p"]


args = (tf.constant([1, 2]),)
