import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class State:
    q: int
    p: int


@pcbatch.autobatch
def program(x):
    first, second = State(x, 0), State(0, x)
    state = first if x > 1 else second
    state.q, state.p = x, state.q
    return first.q


args = (tf.constant([1, 2]),)
