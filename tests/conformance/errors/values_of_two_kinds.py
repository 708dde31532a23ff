import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    groups = {}
    for k in range(n):
        groups[k % 3] = (k, k)
    groups[5] = 1
    return len(groups)


args = (tf.constant([0, 1, 5]),)
