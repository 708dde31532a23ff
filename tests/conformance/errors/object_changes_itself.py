import tensorflow as tf

import pcbatch


class Counter:
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k


counter = Counter()


@pcbatch.autobatch
def program(x):
    if x > 1:
        counter.add(2)
    return counter.n


args = (tf.constant([1, 2]),)
