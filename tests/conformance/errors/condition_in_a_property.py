import operator
from typing import NamedTuple

import tensorflow as tf

import pcbatch


class Box(NamedTuple):
    x: tf.Tensor

    @property
    def value(self):
        if self.x < 0:
            return -1
        return 1


@pcbatch.autobatch
def program(x):
    return operator.attrgetter("value")(Box(x))


args = (tf.constant([1, 2]),)
