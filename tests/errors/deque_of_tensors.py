import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    queue = collections.deque([x, x + 1])
    return queue[0]


args = (tf.constant([1, 2]),)
