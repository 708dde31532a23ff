import math

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(n1, n2, angle):
    s = n1 / n2 * math.sin(angle)
    if abs(s) > 1:
        return None
    return math.asin(s)


args = (tf.constant([1.0, 2.0]), tf.constant([1.3, 1.0]), tf.constant([0.5, 1.0]))
