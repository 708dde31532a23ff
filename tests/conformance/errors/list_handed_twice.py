import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def longer(xs, ys, depth):
    if depth == 0:
        return len(xs) + len(ys)
    mine = xs + [depth]  # noqa: RUF005
    return longer(mine, mine, depth - 1)


@pcbatch.autobatch
def program(n):
    return longer([n], [n], n)


args = (tf.constant([1, 2]),)
