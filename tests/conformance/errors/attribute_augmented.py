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
    state = states[0] if x > 1 else states[1]
    state.q += 1
    return states[0].q


args = (tf.constant([1, 2]),)
