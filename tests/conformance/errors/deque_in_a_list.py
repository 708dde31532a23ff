import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    rows = [collections.deque(maxlen=2) for _ in range(3)]
    for x in range(n):
        rows[0].append(x % 2)
    return len(rows[0])


args = (tf.constant([4, 5, 9]),)
