from typing import NamedTuple

import tensorflow as tf

import pcbatch


class State(NamedTuple):
    q: int


@pcbatch.autobatch
def program(x):
    state = State(x)
    state.q = state.q + 1
    return state


args = (tf.constant([1, 2]),)
