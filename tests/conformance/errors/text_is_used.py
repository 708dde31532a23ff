"""The length of a text that depends on the member."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    state = "slow" if n < 3 else "faster"
    return len(state)


args = (tf.constant([0, 1, 5]),)
