import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    return 1 if f"{n}" == "3" else 0


args = (tf.constant([3, 12]),)
