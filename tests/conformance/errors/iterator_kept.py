import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    pairs = zip((1, 2), (x, x + 1))
    total = 0
    for weight, y in pairs:
        total += weight * y
    return total, len(list(pairs))


args = (tf.constant([1, 2]),)
