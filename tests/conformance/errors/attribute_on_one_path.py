import tensorflow as tf

import pcbatch


class Point:
    def __init__(self, x):
        self.x = x


@pcbatch.autobatch
def program(x):
    point = Point(x)
    if x > 1:
        point.far = True
    return point.x


args = (tf.constant([1, 2]),)
