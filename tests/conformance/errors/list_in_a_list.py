import tensorflow as tf

import pcbatch


def put(rows, row):
    rows.append(row)


@pcbatch.autobatch
def program(x):
    rows, row = [], [x, x]
    put(rows, row)
    row[0] = x + 1
    return rows[0][0]


args = (tf.constant([1, 2]),)
