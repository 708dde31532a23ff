import tensorflow as tf

import pcbatch


@pcbatch.autobatch
def longer(xs, depth):
    if depth == 0:
        xs.append(0)
        return 0
    mine = xs + [depth]  # noqa: RUF005
    longer(mine, depth - 1)
    return len(mine)


@pcbatch.autobatch
def program(n):
    return longer([n], n)


args = (tf.constant([1, 2]),)
