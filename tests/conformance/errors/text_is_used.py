"""A text that depends on the member is made longer."""

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    state = "slow" if n < 3 else "faster"
    return state + "!"


args = (tf.constant([0, 1, 5]),)
