import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def double(x):
    return 2 * x


@pcbatch.autobatch
def program(x):
    positive = tuple(double(y) for y in (x, -x, x - 1) if y > 0)
    return len(positive)


args = (tf.constant([1, 2]),)
