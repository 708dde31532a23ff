import operator
from typing import NamedTuple

import tensorflow as tf

import pcbatch


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


class Box(NamedTuple):
    x: tf.Tensor

    @property
    def value(self):
        return factorial(self.x)


@pcbatch.autobatch
def program(x):
    return operator.attrgetter("value")(Box(x))


args = (tf.constant([1, 2]),)
