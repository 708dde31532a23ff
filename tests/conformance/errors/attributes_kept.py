import tensorflow as tf

import pcbatch


class Point:
    def __init__(self, x):
        self.x = x


@pcbatch.autobatch
def program(x):
    point = Point(x)
    attributes = vars(point)
    point.x += 1
    return attributes["x"]


args = (tf.constant([1, 2]),)
