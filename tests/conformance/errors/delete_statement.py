import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class Point:
    x: tf.Tensor


@pcbatch.autobatch
def program(x):
    point = Point(x)
    del point.x
    return x


args = (tf.constant([1, 2]),)
