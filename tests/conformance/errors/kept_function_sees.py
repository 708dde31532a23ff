import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def walk(n, last):
    step = n * 2
    own = lambda y: y + step
    both = (own, last)
    if n > 0:
        return walk(n - 1, own)
    step = 7
    return both[0](n) + both[1](n)


@pcbatch.autobatch
def program(n):
    return walk(n, lambda y: y)


args = (tf.constant([1, 2]),)
