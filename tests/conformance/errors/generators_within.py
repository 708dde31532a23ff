"""A generator that goes over a generator that goes over one, and so on."""

import numpy as np

import pcbatch


def numbers(n):
    while n > 0:
        yield n
        n -= 1


def doubled(n):
    for x in numbers(n):
        yield 2 * x


def raised(n):
    for x in doubled(n):
        yield x + 1


def squared(n):
    for x in raised(n):
        yield x * x


@pcbatch.autobatch
def program(n):
    return sum(squared(n))


args = (np.array([0, 1, 5]),)
