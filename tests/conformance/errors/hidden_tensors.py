import tensorflow as tf

import pcbatch


class Particle:
    __slots__ = ("position",)

    def __init__(self, position):
        self.position = position


@pcbatch.autobatch
def program(x):
    particle = Particle(x)
    return particle.position


args = (tf.constant([1, 2]),)
