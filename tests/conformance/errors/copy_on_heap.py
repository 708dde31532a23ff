import copy

import tensorflow as tf

import pcbatch


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


@pcbatch.autobatch
def program(x):
    head = None
    for k in range(x):
        head = Node(k, head)
    return copy.copy(head).value


args = (tf.constant([1, 2]),)
