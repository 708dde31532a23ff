import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return 1 if f"{x:e}" == "3.000000e+00" else 0


args = (tf.constant([3.0, 12.0]),)
