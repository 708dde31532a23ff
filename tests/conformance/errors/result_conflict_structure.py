import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    if x > 0:
        return {"q": x}
    return {"q": x, "p": x}


args = (tf.constant([1, 2]),)
