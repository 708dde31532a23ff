import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    near = {0: [1], 1: [0, 2], 2: []}
    row = near.get(n, [])
    row.append(7)
    return len(row)


args = (tf.constant([0, 1, 2]),)
