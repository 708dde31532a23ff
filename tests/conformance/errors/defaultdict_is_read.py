import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    seen = collections.defaultdict(set)
    for k in range(3):
        seen[n].add(k)
    return len(seen)


args = (tf.constant([0, 1, 5]),)
