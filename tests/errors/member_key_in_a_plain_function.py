import tensorflow as tf

import pcbatch

FEES = {0: 30, 1: 25, 2: 5}


def fee(state):
    return FEES[state]


@pcbatch.autobatch
def program(n):
    return fee(n) + 1


args = (tf.constant([0, 1, 2]),)
