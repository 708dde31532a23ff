import tensorflow as tf

import pcbatch


class Node:
    def __init__(self, color, following):
        self.color = color
        self.following = following


@pcbatch.autobatch
def program(x):
    head = None
    for k in range(x):
        head = Node("red" if k % 2 else "black", head)
    head = Node(7, head)
    return head.color == "red"


args = (tf.constant([1, 2]),)
