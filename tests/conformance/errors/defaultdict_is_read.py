import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    counts = collections.defaultdict(int)
    counts[n] += 1
    return counts[1]


args = (tf.constant([0, 1, 5]),)
