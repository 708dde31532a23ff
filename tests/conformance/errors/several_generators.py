import tensorflow as tf

import pcbatch


def powers(k):
    x = 1
    while True:
        yield x
        x *= k


@pcbatch.autobatch
def program(n):
    total = 0
    for x, y in zip(powers(2), powers(3)):
        total += x * y
        if total > n:
            break
    return total


args = (tf.constant([1, 50]),)
