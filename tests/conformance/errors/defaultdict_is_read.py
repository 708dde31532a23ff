import collections

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    seen = collections.defaultdict(lambda: collections.deque(maxlen=2))
    for k in range(3):
        seen[n].append(k)
    return len(seen)


args = (tf.constant([0, 1, 5]),)
