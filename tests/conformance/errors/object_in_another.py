import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class State:
    q: int
    p: int


@pcbatch.autobatch
def program(x):
    state = State(x, 0)
    best = []
    for k in range(3):
        state.q += k
        best.append(state)
    return best[0].q


args = (tf.constant([1, 2]),)
