import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    queue = collections.deque(maxlen=3)
    queue.extend([n, n + 1])
    return queue[0]


args = (tf.constant([4, 5, 9]),)
