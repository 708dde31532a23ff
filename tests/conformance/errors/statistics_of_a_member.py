import statistics

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n):
    xs = [k * k for k in range(n)]
    return statistics.mean(xs)


args = (tf.constant([1, 2]),)
