from typing import NamedTuple

import tensorflow as tf

import pcbatch


class Maße(NamedTuple):
    maß: int


@pcbatch.autobatch
def program(x):
    größe = Maße(x)
    straße = "äöü" ; größe.maß = 1
    return len(straße)


args = (tf.constant([1, 2]),)
