"""A function of the program that returns None on one path and a queue of limited length on another."""

from collections import deque

import numpy as np

import pcbatch


def digits(n):
    if n < 0:
        return None
    found = deque(maxlen=2)
    while n > 0:
        found.append(n % 10)
        n //= 10
    return found


@pcbatch.autobatch
def program(n):
    found = digits(n)
    return 0 if found is None else len(found)


args = (np.array([-1, 11, 152]),)
