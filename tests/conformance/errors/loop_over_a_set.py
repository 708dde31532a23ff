import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    total = 0
    for color in {"red" if n > 2 else "green", "blue"}:
        total = 2 * total + len(color)
    return total


args = (tf.constant([0, 1, 5]),)
