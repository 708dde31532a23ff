import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    total = 0

    def last():
        return y

    for k in range(3):
        if k:
            total += last()
        y = x + k
    return total


args = (tf.constant([1, -1]),)
