import operator
from typing import NamedTuple

import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def halve(x):
    return x // 2


class Box(NamedTuple):
    x: tf.Tensor

    @property
    def value(self):
        return halve(self.x) + 1


@pcbatch.autobatch
def program(x):
    return operator.attrgetter("value")(Box(x))


args = (tf.constant([1, 2]),)
