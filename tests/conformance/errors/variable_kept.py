"""A list that is given to a generator, and changed while that goes on."""

import numpy as np

import pcbatch


def doubled(xs):
    for x in xs:
        yield 2 * x


@pcbatch.autobatch
def program(n):
    xs = [n, 2, 3]
    values = doubled(xs)
    first = next(values)
    xs.append(first)
    return next(values)


args = (np.array([0, 1, 5]),)
