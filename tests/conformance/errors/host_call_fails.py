import tensorflow as tf

import pcbatch


def simulate(x):
    raise FloatingPointError("the simulation diverged")


@pcbatch.autobatch(jit=False)
def program(x):
    if x > 1.0:
        x = pcbatch.host_call(simulate, x, result=tf.TensorSpec([], tf.float32))
    return x


args = (tf.constant([1.0, 2.0]),)
