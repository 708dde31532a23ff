"""A text that depends on the member is put into a tensor."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    state = "slow" if n < 3 else "faster"
    return tf.stack([state, state])


args = (tf.constant([0, 1, 5]),)
