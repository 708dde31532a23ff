import tensorflow as tf

import pcbatch

FEES = {0: 30, 1: 25, 2: 5}


@pcbatch.autobatch
def program(n):
    fee = FEES.get(n)
    return 0 if fee is None else fee


args = (tf.constant([0, 1, 5]),)
