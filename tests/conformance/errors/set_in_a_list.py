import tensorflow as tf

import pcbatch


def nothing():
    return set()


@pcbatch.autobatch
def program(n):
    rows = [nothing() for _ in range(3)]
    for x in range(n):
        rows[0].add(x % 2)
    return len(rows[0])


args = (tf.constant([4, 5, 9]),)
