import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class State:
    q: float
    steps: int


@pcbatch.autobatch
def energy(state):
    state.steps += 1
    return state.q * state.q


slope = pcbatch.grad(energy)


@pcbatch.autobatch
def program(x):
    state = State(x, 0)
    found = slope(state)
    return found.q, state.steps


args = (tf.constant([1.0, 2.0]),)
