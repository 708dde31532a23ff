import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    match {"q": x}:
        case {"q": q}:
            return q
    return x


args = (tf.constant([1, 2]),)
