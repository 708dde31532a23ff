import jax.numpy as jnp
import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def program(x):
    return jnp.sin(x) + 1.0


args = (tf.constant([1.0, 2.0]),)
