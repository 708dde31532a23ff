import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    total = 0

    def powers(k):
        x = 1
        while True:
            yield x + total
            x *= k

    for x, y in zip(powers(2), powers(3)):
        total += x * y
        if total > n:
            break
    return total


args = (tf.constant([1, 50]),)
