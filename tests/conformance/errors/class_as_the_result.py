import tensorflow as tf

import pcbatch


class Disk:
    def __init__(self, radius):
        self.radius = radius


class Box:
    def __init__(self, width):
        self.width = width


@pcbatch.autobatch
def program(x):
    figure = Disk(x) if x > 1 else Box(x)
    return type(figure)


args = (tf.constant([1, 2]),)
