import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    table = {"q": x, "p": 2 * x}
    other = table if x > 1 else {"q": x, "p": x}
    del table["q"]
    return other["p"] + len(table)


args = (tf.constant([1, 2]),)
