import operator
from typing import NamedTuple

import tensorflow as tf

import pcbatch

FEES = {0: 30, 1: 25, 2: 5}


class Box(NamedTuple):
    x: tf.Tensor

    @property
    def value(self):
        return len({self.x, *FEES})


@pcbatch.autobatch
def program(x):
    return operator.attrgetter("value")(Box(x))


args = (tf.constant([1, 2]),)
