import dataclasses

import tensorflow as tf

import pcbatch


@dataclasses.dataclass
class Node:
    number: int


@pcbatch.autobatch
def program(x):
    first, second = Node(1), Node(2)
    best = first if x > 1 else second
    return best is first


args = (tf.constant([1, 2]),)
