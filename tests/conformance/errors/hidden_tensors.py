import tensorflow as tf

import pcbatch


class Particle:
    def __init__(self, position):
        self.position = position

    def __getattr__(self, name):
        raise AttributeError(name)


@pcbatch.autobatch
def program(x):
    particle = Particle(x)
    return particle.position


args = (tf.constant([1, 2]),)
