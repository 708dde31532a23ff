import tensorflow as tf

import pcbatch


class Node:
    def __init__(self, items, after):
        self.items = items
        self.after = after


@pcbatch.autobatch
def program(n):
    rows, head = [], None
    for k in range(n):
        head = Node([k], head)
    rows.append(head.items)
    head.items.append(5)
    return len(rows[0])


args = (tf.constant([1, 2]),)
