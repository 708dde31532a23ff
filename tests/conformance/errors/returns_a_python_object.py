import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return {"x": x, "name": print}


args = (tf.constant([1, 2]),)
