import operator
from typing import NamedTuple

import tensorflow as tf

import pcbatch


class Box(NamedTuple):
    x: tf.Tensor

    @property
    def value(self):
        x, y = self.x
        return tf.sqrt(x * x + y * y)


@pcbatch.autobatch
def program(x):
    return operator.attrgetter("value")(Box(x))


args = (tf.constant([[1.0, 2.0], [3.0, 4.0]]),)
