import tensorflow as tf

import pcbatch

ROADS = {0: [1, 2], 1: [3], 2: []}


@pcbatch.autobatch
def program(n):
    near = ROADS.get(n)
    return 0 if near is None else len(near)


args = (tf.constant([0, 1, 5]),)
