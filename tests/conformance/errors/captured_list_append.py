import tensorflow as tf

import pcbatch

LOG = []


@pcbatch.autobatch
def program(x):
    LOG.append("called")
    return x


args = (tf.constant([1, 2]),)
