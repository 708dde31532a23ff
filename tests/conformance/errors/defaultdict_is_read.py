import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    counts = collections.defaultdict(int)
    for k in range(3):
        counts[n] = counts[n] + k
    return counts[1]


args = (tf.constant([0, 1, 5]),)
