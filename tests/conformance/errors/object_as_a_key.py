import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass(eq=False)
class Point:
    x: int


@pcbatch.autobatch
def program(first, second):
    return len({first, second})


args = (Point(tf.constant([1, 2])), Point(tf.constant([2, 2])))
