import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class State:
    q: int
    p: int


def moved(state, x):
    if x > 1:
        state.q, state.p = x, state.q


@pcbatch.autobatch
def program(x):
    state = State(x, 0)
    moved(state, x)
    return state.q


args = (tf.constant([1, 2]),)
