import numpy as np
import tensorflow as tf

import pcbatch


class Particle:
    def __init__(self, following):
        self.position = np.zeros(3)
        self.following = following


@pcbatch.autobatch
def program(x):
    particle = None
    for k in range(x):
        particle = Particle(particle)
        particle.position += k
    return particle.position[0]


args = (tf.constant([1, 2]),)
