import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    state = {"q": x, "p": 0}
    best = []
    for k in range(3):
        state["q"] += k
        best.append(state)
    return best[0]["q"]


args = (tf.constant([1, 2]),)
