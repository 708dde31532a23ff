import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class State:
    q: int
    p: int


@pcbatch.autobatch
def program(x):
    states = [State(x, 0), State(0, x)]
    for state in states:
        state.q += 1
    return states[0].q


args = (tf.constant([1, 2]),)
