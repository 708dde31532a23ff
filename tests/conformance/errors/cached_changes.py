"""A cached function that counts its calls, and whose results cannot be remembered."""

import functools

import numpy as np

import pcbatch


@pcbatch.autobatch
def program(n):
    calls = 0

    @functools.cache
    def up_to(k):
        nonlocal calls
        calls += 1
        return [0] if k < 1 else up_to(k - 1) + up_to(k - 2)

    return len(up_to(n)), calls


args = (np.array([1, 3]),)
